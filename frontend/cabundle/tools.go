package cabundle

import (
	"slices"
	"strings"
)

// Variable is one environment variable of a RUN.
type Variable struct{ Name, Value string }

// family is a group of programs that find their certificate authorities in
// the same way.
type family struct {
	// vars are the variables; a value without a slash is a file of the
	// bundle's folder.
	vars []Variable
	// own is true if the programs bring the public roots along. They are
	// left alone unless the operator has a certificate authority to add.
	own bool
}

// The families. Each adds the bundle to what the image trusts: a program that
// is told of a file by its variable still reads the folder /etc/ssl/certs of
// the image, where update-ca-certificates links every root by its hash.
//
// SSL_CERT_DIR is not among them: curl 7.88 reads SSL_CERT_FILE only if
// SSL_CERT_DIR is not set. Nor is CURL_CA_BUNDLE: Python's requests reads it
// too, and would lose its own roots.
var (
	openssl = family{vars: []Variable{{"SSL_CERT_FILE", FileName}}}
	// GIT_SSL_CAPATH repeats Debian's built-in folder for builds of libcurl
	// that have none; a folder that does not exist is no error.
	git = family{vars: []Variable{{"GIT_SSL_CAINFO", FileName}, {"GIT_SSL_CAPATH", "/etc/ssl/certs"}}}
	// GNU wget knows no variable that names a bundle. SYSTEM_WGETRC stands in
	// for /etc/wgetrc, which in Debian only says "passive_ftp = on"; WGETRC
	// would stand in for the user's ~/.wgetrc.
	wget = family{vars: []Variable{{"SYSTEM_WGETRC", WgetRC}}}
	pip  = family{vars: []Variable{{"PIP_CERT", FileName}, {"REQUESTS_CA_BUNDLE", FileName}}, own: true}
	node = family{vars: []Variable{{"NODE_EXTRA_CA_CERTS", FileName}}, own: true}
)

// WgetRCContent is the system-wide configuration that GNU wget reads in place
// of /etc/wgetrc: Debian's only setting, and the bundle, which wget adds to
// the roots of the image.
func (b Bundle) WgetRCContent() []byte {
	return []byte("passive_ftp = on\nca_certificate = " + b.File() + "\n")
}

// families returns how the program finds its certificate authorities. known
// is false for a program that is not in the list.
func families(tool string) (fs []family, known bool) {
	switch tool {
	case "curl", "aria2c", "axel", "wget2", "hg", "apk", "rustup",
		"openssl", "perl", "python", "python3", "ruby":
		return []family{openssl}, true
	case "wget":
		return []family{wget, openssl}, true
	case "git":
		return []family{git}, true
	case "go", "cargo", "gem", "bundle", "composer":
		return []family{openssl, git}, true
	case "pip", "pip3", "pipx", "uv", "poetry", "conda":
		return []family{pip, openssl, git}, true
	case "npm", "npx", "yarn", "pnpm", "node", "corepack":
		return []family{node, openssl, git}, true
	}
	return []family{openssl}, false
}

// Fetches reports whether the program is known to fetch over the network.
func Fetches(tool string) bool {
	_, known := families(tool)
	return known
}

// Variables returns the variables by which the programs find the bundle, in
// the order of tools, each once. "" and a program that is not known stand for
// one that uses OpenSSL's defaults, as most do. has reports whether the RUN's
// environment sets a variable already: what the author set is never changed.
func (b Bundle) Variables(tools []string, has func(name string) bool) []Variable {
	var vars []Variable
	for _, tool := range tools {
		fs, _ := families(tool)
		for _, f := range fs {
			if f.own && !b.Operator() {
				continue
			}
			for _, v := range f.vars {
				if !strings.Contains(v.Value, "/") {
					v.Value = b.Dir() + "/" + v.Value
				}
				if !has(v.Name) && !slices.Contains(vars, v) {
					vars = append(vars, v)
				}
			}
		}
	}
	return vars
}
