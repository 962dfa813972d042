package aptrepo

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
)

// Options says what is in a Repo.
type Options struct {
	// Packages is how many there are; 20 if 0.
	Packages int
	// Bytes is the size of all of them together; 50 kB each if 0. Sizes are
	// spread as in a real archive: many small ones, a few that are large.
	Bytes int64
	// Seed chooses other content, other sizes and another signing key.
	Seed uint64
	// Suite is the suite's name and codename; "stable" if empty.
	Suite string
	// Prefix begins the name of each package; "pkg" if empty.
	Prefix string
	// Signed adds InRelease and Release.gpg, signed by a key that was made for
	// this repository: see Key. Without it apt needs [trusted=yes], which Line
	// and Stanza then say.
	Signed bool
}

// Repo is an archive. It is safe for concurrent use; nothing in it changes.
type Repo struct {
	opts     Options
	packages []Package
	key      ed25519.PrivateKey
	files    map[string][]byte // by path, without a slash before it
}

// modified is the date of everything in a Repo.
var modified = time.Date(2024, 6, 29, 12, 0, 0, 0, time.UTC)

// KeyPath is where Line and Stanza of a signed Repo expect its public key, in
// the file system of the apt that reads them.
const KeyPath = "/etc/apt/keyrings/aptrepo.gpg"

// New makes an archive. It takes about a second for 100 MB.
func New(opts Options) *Repo {
	if opts.Packages == 0 {
		opts.Packages = 20
	}
	if opts.Bytes == 0 {
		opts.Bytes = int64(opts.Packages) * 50_000
	}
	if opts.Suite == "" {
		opts.Suite = "stable"
	}
	if opts.Prefix == "" {
		opts.Prefix = "pkg"
	}
	r := &Repo{opts: opts, packages: makePackages(opts), key: signingKey(opts.Seed), files: map[string][]byte{}}
	r.addPool()
	r.addSuite()
	r.addFlat()
	return r
}

// ServeHTTP answers for the archive's root.
func (r *Repo) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	// apt asks for flat/./Packages.
	body, ok := r.files[strings.TrimPrefix(path.Clean(req.URL.Path), "/")]
	if !ok {
		http.NotFound(w, req)
		return
	}
	// A type from the name's end would be looked up on this machine.
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, req, "", modified, bytes.NewReader(body))
}

// Line returns the one-line source for the archive at base, the URL of the
// handler's root, without a slash at its end.
func (r *Repo) Line(base string) string {
	return fmt.Sprintf("deb [%s] %s %s main", r.trust("trusted=yes", "signed-by="+KeyPath), base, r.opts.Suite)
}

// SourceLine is Line for source packages (deb-src).
func (r *Repo) SourceLine(base string) string {
	return strings.Replace(r.Line(base), "deb ", "deb-src ", 1)
}

// FlatLine is Line for the flat repository.
func (r *Repo) FlatLine(base string) string {
	return fmt.Sprintf("deb [%s] %s/flat/ ./", r.trust("trusted=yes", "signed-by="+KeyPath), base)
}

// Stanza returns the source in deb822 form, binary and source packages.
func (r *Repo) Stanza(base string) string {
	return fmt.Sprintf("Types: deb deb-src\nURIs: %s\nSuites: %s\nComponents: main\n%s\n",
		base, r.opts.Suite, r.trust("Trusted: yes", "Signed-By: "+KeyPath))
}

func (r *Repo) trust(unsigned, signed string) string {
	if r.opts.Signed {
		return signed
	}
	return unsigned
}

// Packages returns the packages, without the one of All.
func (r *Repo) Packages() []Package { return slices.Clone(r.packages[1:]) }

// Names returns the names of Packages.
func (r *Repo) Names() []string {
	var names []string
	for _, p := range r.packages[1:] {
		names = append(names, p.Name)
	}
	return names
}

// All returns the name of an empty package that depends on every other.
func (r *Repo) All() string { return r.packages[0].Name }

// Bytes returns the size of Packages together.
func (r *Repo) Bytes() int64 {
	var n int64
	for _, p := range r.packages[1:] {
		n += int64(len(p.Body))
	}
	return n
}

// Paths returns the paths of all files, sorted.
func (r *Repo) Paths() []string { return slices.Sorted(maps.Keys(r.files)) }

// File returns the content of the file at a path, without a slash before it;
// nil if there is none.
func (r *Repo) File(path string) []byte { return r.files[path] }
