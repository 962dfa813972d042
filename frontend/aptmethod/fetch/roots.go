package fetch

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"sync"
)

// imageStores are the files in which distributions keep the authorities that
// they trust (Debian, Fedora, openSUSE, RHEL, Alpine). Source: crypto/x509,
// root_linux.go; BuildKit's executor/proxyca_linux.go adds the CA of its proxy
// network to the first of them that is there.
func imageStores() []string {
	return []string{
		"/etc/ssl/certs/ca-certificates.crt",
		"/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/ca-bundle.pem",
		"/etc/pki/tls/cacert.pem",
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
		"/etc/ssl/cert.pem",
	}
}

// imageFolder holds a file for each authority, in images that have no bundle.
const imageFolder = "/etc/ssl/certs"

// roots are the authorities that servers may be certified by: those that the
// frontend ships, the operator's, and those of the image. They are read when
// they are first asked for. The environment's SSL_CERT_FILE plays no part: what
// replaces the store for other tools must not take the operator's away.
type roots struct {
	files  []string // all of these
	stores []string // all of these that are there
	folder string   // if none of stores is
	log    func(string)

	base func() *anchors

	mu    sync.Mutex
	extra map[string]*x509.CertPool // by the file that apt's CaInfo names
}

// newRoots returns the roots for the folder that the frontend mounts. log takes
// a line about a file that cannot be used.
func newRoots(dir string, log func(string)) *roots {
	r := &roots{
		files:  []string{filepath.Join(dir, "ca.crt"), filepath.Join(dir, "operator", "ca.crt")},
		stores: imageStores(),
		folder: imageFolder,
		log:    log,
		extra:  map[string]*x509.CertPool{},
	}
	r.base = sync.OnceValue(r.read)
	return r
}

// read reads everything but CaInfo.
func (r *roots) read() *anchors {
	a := &anchors{pool: x509.NewCertPool(), certs: map[digest]bool{}, files: map[digest]bool{}}
	for _, name := range r.files {
		a.addFile(name)
	}
	found := false
	for _, name := range r.stores {
		found = a.addFile(name) > 0 || found
	}
	if !found && r.folder != "" {
		a.addFolder(r.folder)
	}
	return a
}

// pool returns the roots for a server; caInfo is the file that apt's
// configuration names for it, or "". It is added: for apt it would stand in
// place of the image's store.
func (r *roots) pool(caInfo string) *x509.CertPool {
	base := r.base()
	if caInfo == "" {
		return base.pool
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.extra[caInfo]; p != nil {
		return p
	}
	more := base.clone()
	if more.addFile(caInfo) == 0 {
		r.log("apt's CaInfo " + plain(caInfo) + " holds no certificate that can be read; it is left out")
	}
	r.extra[caInfo] = more.pool
	return more.pool
}

// digest tells files and certificates apart.
type digest [sha256.Size]byte

// anchors is a pool that takes nothing twice: most of an image's store is in
// the frontend's bundle too, and parsing is what costs.
type anchors struct {
	pool  *x509.CertPool
	certs map[digest]bool
	files map[digest]bool
}

// clone returns a copy for one more file.
func (a *anchors) clone() *anchors {
	return &anchors{pool: a.pool.Clone(), certs: a.certs, files: map[digest]bool{}}
}

// addFile adds a file of PEM certificates and returns how many it holds: 0 for
// one that is missing or not readable.
func (a *anchors) addFile(name string) int {
	data, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	sum := digest(sha256.Sum256(data))
	if a.files[sum] {
		return 1
	}
	a.files[sum] = true
	n := 0
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" && a.addCert(block.Bytes) {
			n++
		}
	}
	return n
}

// addCert adds a certificate; ok is false if it is none.
func (a *anchors) addCert(der []byte) (ok bool) {
	sum := digest(sha256.Sum256(der))
	if a.certs[sum] {
		return true
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return false
	}
	a.certs[sum] = true
	a.pool.AddCert(cert)
	return true
}

// mostFiles bounds what is read of a folder.
const mostFiles = 1000

// addFolder adds every file of a folder.
func (a *anchors) addFolder(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries[:min(len(entries), mostFiles)] {
		name := filepath.Join(dir, e.Name())
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			a.addFile(name)
		}
	}
}
