// Package aptrepo makes a small apt archive in memory and serves it: what
// Debian's archive looks like to apt, with packages of any number and size. The
// same Options give the same bytes.
//
//	repo := aptrepo.New(aptrepo.Options{Packages: 200, Bytes: 92e6})
//	mirror := testbed.NewMirror(t, testbed.MirrorOptions{
//		Names:   []string{"archive.example.org"},
//		Handler: http.StripPrefix("/debian", repo),
//	})
//	repo.Line("http://archive.example.org/debian") // deb [trusted=yes] http://archive.example.org/debian stable main
//	repo.Names()                                   // for apt-get download
//	repo.All()                                     // a package that depends on every other, for apt-get install
//
// What it serves, below the handler's root:
//
//	dists/SUITE/Release, InRelease, Release.gpg     the last two if Options.Signed
//	dists/SUITE/main/binary-ARCH/Packages, .gz      every architecture has the same packages ("all")
//	dists/SUITE/main/source/Sources, .gz            a source of each package: .dsc and .tar.gz
//	dists/SUITE/main/…/by-hash/SHA256/HEX           of each index
//	pool/main/NAME/…                                the packages and their sources
//	flat/Release, Packages, …                       the same packages as a flat repository
//
// Every answer has Content-Length, Last-Modified and Accept-Ranges, and honours
// Range, If-Range and If-Modified-Since. A path that is not there is 404.
//
// The packages can be downloaded and hashed; they are not meant to be installed:
// their bodies are noise.
package aptrepo
