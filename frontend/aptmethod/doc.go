// Package aptmethod is apt's acquire method for http and https: the loop that
// talks to apt over stdin and stdout, and the files that it fetches. What goes
// over the network is package fetch's.
//
// apt starts the method twice: once for its "100 Capabilities" alone, then to
// work. Nothing is done before apt has sent its configuration; then credentials
// are read, root is given up (package sandbox), and only then is there network.
//
// # Files
//
// apt hands over as many files as Acquire::Max-Pipeline-Depth says. Up to four
// are fetched from one host at a time, one from a snapshot service, and each is
// answered when it is there, under the URI as apt wrote it. A file is written to
// the place that apt names, in its folder partial/, and hashed on the way: the
// hashes that apt expects, or all four if it expects none that it would trust.
// What is there already is hashed and continued. A file's time is the server's
// Last-Modified, so that it can be continued and asked for by date.
//
// Places for a file (mirrors) are tried in turn. One that fails, or gives a file
// that is not the expected one, is followed by the next; after the last, apt
// gets the failure, or the hashes of the wrong file, which it then reports.
//
// # Settings
//
// Beside apt's own (Acquire::http::Dl-Limit, AllowRanges, …) it reads
//
//	LoopX::Dir              where the frontend's files are, /dev/.loopx
//	LoopX::Connections      connections to one host, 4; ::HOST for one host; see package fetch
//	LoopX::Mirror-Deadline  seconds that a mirror has if there is another, 10
package aptmethod
