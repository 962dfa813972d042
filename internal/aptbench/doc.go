// Package aptbench measures our acquire method beside apt's own: the time to
// download packages, the start of the process, its memory, and what the guard
// costs a RUN. It has no code of its own but benchmarks:
//
//	go test ./internal/aptbench -run '^$' -bench .
//	go test ./internal/aptbench -run '^$' -bench . -benchtime 1x    # does it run? a small archive, one round
//
// Each compares its sides within one run, in turn, and which side begins changes
// from round to round, so that all see the same machine. Times of two runs are
// not comparable. The results and their bars stand in docs/benchmarks.md.
package aptbench
