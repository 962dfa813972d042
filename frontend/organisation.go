package frontend

import (
	"cmp"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/frontend/cabundle"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/settings"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// PolicyDir is where an organisation's own image has its configuration, the files
// of [ack.Load], and certificate authorities in the folder ca.
const PolicyDir = config.Dir

// organisationFile reads the organisation's configuration; nil if it has none.
func organisationFile(baked fs.FS) (*config.Config, error) {
	data, err := readBaked(baked, config.File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	name := PolicyDir + "/" + config.File
	if err != nil {
		return nil, fmt.Errorf("%s in the frontend's image: %w", name, err)
	}
	return config.ParseOrganisation(name, data)
}

// readBaked reads a file of the organisation's folder, which may be nil: of one
// that is too large, as much as shows it.
func readBaked(baked fs.FS, name string) ([]byte, error) {
	if baked == nil {
		return nil, fs.ErrNotExist
	}
	f, err := baked.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, config.MaxFile+1))
}

// bakedBundle returns b with the certificates of the organisation's folder, if it
// has any.
func bakedBundle(baked fs.FS, b cabundle.Bundle) (cabundle.Bundle, error) {
	if baked == nil {
		return b, nil
	}
	const folder = "ca"
	entries, err := fs.ReadDir(baked, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	var certs []*x509.Certificate
	for _, e := range entries {
		if !isCertificateFile(e.Name()) || e.IsDir() {
			continue
		}
		data, err := readBaked(baked, folder+"/"+e.Name())
		var found []*x509.Certificate
		if err == nil {
			found, err = cabundle.ParseFile(e.Name(), data)
		}
		if err != nil {
			return b, fmt.Errorf("%s in the frontend's image: %w", path.Join(PolicyDir, folder), err)
		}
		certs = append(certs, found...)
	}
	if err != nil {
		return b, fmt.Errorf("%s in the frontend's image: %w", path.Join(PolicyDir, folder), err)
	}
	return b.With(certs), nil
}

// hasContext reports whether a request has a named context, for any platform.
func hasContext(opts map[string]string, name string) bool {
	for key := range opts {
		if of, ok := strings.CutPrefix(key, "context:"); ok && (of == name || strings.HasPrefix(of, name+"::")) {
			return true
		}
	}
	return false
}

// replacesSigners reports whether a request brings signers in the place of those
// of the frontend's image.
func replacesSigners(opts map[string]string, baked fs.FS) bool {
	if baked == nil || !hasContext(opts, contextPolicy) {
		return false
	}
	return slices.ContainsFunc([]string{ack.SignersFile, ack.PolicyFile}, func(name string) bool {
		_, err := fs.Stat(baked, name)
		return err == nil
	})
}

// borrowed tells which build args name another repository, or another
// Dockerfile, than the client says is built: acknowledgements of that one would
// count here. Where neither the client nor the organisation's file says which one
// it is, nothing shows that they are right.
func borrowed(opts map[string]string, organisation string) []settings.Refusal {
	var all []settings.Refusal
	refuse := func(variable, weakens string) {
		all = append(all, settings.Refusal{Source: "build arg " + variable, Owner: settings.Operator, Weakens: weakens})
	}
	if said := opts[buildArgPrefix+settings.RepositoryVariable]; said != "" {
		switch built := repository(opts, organisation); {
		case built == "":
			refuse(settings.RepositoryVariable, "names a repository, and nothing shows that it is the one that is built: acknowledgements of any would count")
		case repositoryID(said) != built:
			refuse(settings.RepositoryVariable, "names "+route.RedactText(repositoryID(said))+", and "+built+" is built: acknowledgements of the other would count")
		}
	}
	if said := opts[buildArgPrefix+dockerfileVariable]; said != "" {
		if built := builtDockerfile(opts, cmp.Or(opts[keyFilename], "Dockerfile")); path.Clean(said) != built {
			refuse(dockerfileVariable, "names "+path.Clean(said)+", and "+built+" is built: acknowledgements of the other would count")
		}
	}
	return all
}
