// Package testbed is the ground that tests, benchmarks and the demo stand on: a
// real buildkitd, real Debian and Ubuntu bases without a CA bundle, a registry,
// TLS servers under public-looking names, and the package archives under their
// own, all on loopback.
//
// A test package uses it like this:
//
//	func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }
//
//	func TestCurl(t *testing.T) {
//		d := testbed.Buildkitd(t)            // one per test process, started when first asked for
//		base := testbed.Fetchers(t, "bookworm")  // minbase + curl, wget, git; no CA bundle
//		m := testbed.NewMirror(t, testbed.MirrorOptions{
//			Names: []string{"downloads.example.org"},
//			Files: map[string]string{"/x": "hello"},
//		})
//		_, err := d.Build(t, testbed.Build{
//			Func:       frontend.Build,              // or Frontend: testbed.FrontendImage(t), or neither for dockerfile.v0
//			Dockerfile: "FROM " + base.Ref + "\nRUN curl -fsS http://downloads.example.org/x\n",
//			Contexts:   map[string]string{"loopx-ca": m.CA.Dir(t)},
//			NoCache:    true,                        // needed wherever hits are counted
//		})
//		// err, m.ClearHits() (must be empty), m.TLSHits()
//	}
//
// What a build sees:
//
//   - Names. The daemon and its RUNs ask a small DNS server of this process: the
//     names of live mirrors answer with the mirror's own 127.x.y.z address, names
//     under debian.org are forwarded, nothing else exists. No hosts file, no
//     --add-host, and no build can reach another public host. Where Archive
//     stands, the names of the archives are its own: what is fetched from them is
//     counted, in clear text and over TLS.
//   - Network. RUNs share this machine's network, so they reach mirrors on ports
//     80 and 443.
//   - Trust. The daemon itself (ADD, git sources) trusts the machine's bundle and
//     the CA returned by DefaultCA. A RUN trusts only what its image holds and
//     what the frontend gives it.
//   - Images. Plain names such as debian:bookworm-slim are looked up in Registry
//     first: the daemon has it as its docker.io mirror. Base pushes bookworm's
//     minbase under that name too.
//   - Caches. All builds of a process share one build cache.
//
// Dockerd is an older daemon beside it, Docker Engine 20.10 with its own BuildKit
// 0.8. It shares names, registry and trust, and has a cache of its own.
//
// The daemon needs root, and the tools that `make setup` builds. It lives in its
// own mount and PID namespaces and dies with the test process, however that ends.
// So does Dockerd, whose programs are downloaded once.
package testbed
