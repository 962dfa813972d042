// Package aptbed runs the real apt, this machine's or that of a Debian base,
// against servers of a test, with our acquire method or with apt's own.
//
//	func TestMain(m *testing.M) { os.Exit(testbed.Main(m)) }
//
//	func TestUpdate(t *testing.T) {
//		repo := aptrepo.New(aptrepo.Options{})
//		mirror := testbed.NewMirror(t, testbed.MirrorOptions{
//			Names:   []string{"archive.example.org"},
//			Handler: http.StripPrefix("/debian", repo),
//		})
//		apt := aptbed.New(t, aptbed.Options{
//			Method:  aptbed.Method(t), // "" is apt's own http and https
//			Sources: []string{repo.Line("http://archive.example.org/debian")},
//		})
//		got := apt.Run("update")               // apt-get update
//		// got.Code, got.Stdout, got.Stderr; mirror.ClearHits() must be empty
//		apt.Run("install", "-y", "--download-only", repo.All())
//		apt.Read("/var/cache/apt/archives/pkg001_1.0-1_all.deb")
//	}
//
// What apt sees, in a mount namespace of each run's own:
//
//   - The root file system is this machine's, or a copy of a testbed base that
//     the test may change (Options.Suite). Of this machine's, /etc/apt,
//     /var/lib/apt, /var/cache/apt, /var/lib/dpkg and /mnt are private and begin
//     empty: no configuration, source, key or package of the machine plays a
//     part. They last from one run to the next. Packages are downloaded, not
//     installed: other folders are the machine's own.
//   - /dev is a small tmpfs, as in a container. With a method, /dev/.loopx holds
//     what the frontend mounts there (package mount), read-only, and APT_CONFIG
//     names the file in it: the paths, the configuration and the order in which
//     apt reads it are those of a guarded RUN. The CA bundle also has
//     Options.CA.
//   - Names resolve as in builds: see package testbed. Every name of a mirror is
//     reached on ports 80 and 443 of its loopback address.
//   - The environment is PATH, LC_ALL=C.UTF-8, DEBIAN_FRONTEND and Options.Env:
//     no CA variable, no proxy.
//   - The working directory is /mnt, empty and writable for all: apt's methods
//     drop to the user _apt as always, and may write there.
//
// It needs root, as testbed does.
package aptbed
