package frontend

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"path"

	"github.com/loopx/loopx-frontend/frontend/cabundle"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/settings"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/frontend/dockerui"
	"github.com/moby/buildkit/frontend/gateway/client"
)

// contextCA is the named context with the operator's own certificate
// authorities: docker build --build-context loopx-ca=DIR.
const contextCA = "loopx-ca"

// operatorBundle returns b with the certificates of the named context added.
// The *.crt and *.pem files of its top folder are read, in the order of their
// names; other files are not looked at. Without the context it returns b.
//
// Under a lock only certificates that b has already may be among them: whoever
// holds the key of another could answer every fetch.
func operatorBundle(ctx context.Context, c client.Client, b cabundle.Bundle, in *settings.Settings) (cabundle.Bundle, error) {
	ref, found, err := solveNamedContext(ctx, c, contextCA, "*.crt", "*.pem")
	if err != nil {
		return b, fmt.Errorf("build context %s: %w", contextCA, err)
	}
	if !found {
		return b, nil
	}
	certs, err := readCertificates(ctx, ref)
	if err != nil {
		return b, fmt.Errorf("build context %s: %w", contextCA, err)
	}
	if in.Lock != nil {
		refuseCertificates(b, certs, in)
	}
	return b.With(certs), in.Err()
}

func refuseCertificates(b cabundle.Bundle, certs []*x509.Certificate, in *settings.Settings) {
	for _, c := range certs {
		if !b.Added(c) {
			in.Refuse(settings.Refusal{
				Source: "build context " + contextCA, Owner: settings.Operator,
				Weakens: "adds the certificate authority " + plain.Text(c.Subject.String()) + " to what is trusted",
			})
		}
	}
}

// solveNamedContext returns the content of a named context of any kind: nil if
// it is empty. Of a local folder only what matches the patterns is sent. found is
// false if the request names none.
func solveNamedContext(ctx context.Context, c client.Client, name string, patterns ...string) (ref client.Reference, found bool, err error) {
	bc, err := dockerui.NewClient(c)
	if err != nil {
		return nil, false, err
	}
	nc, err := bc.NamedContext(name, dockerui.ContextOpt{
		NoDockerignore: true,
		AsyncLocalOpts: func() []llb.LocalOption {
			// Unlike include patterns, these follow links.
			return []llb.LocalOption{llb.FollowPaths(patterns)}
		},
	})
	if err != nil || nc == nil {
		return nil, false, err
	}
	st, _, err := nc.Load(ctx)
	if err != nil {
		return nil, true, err
	}
	ref, err = solveState(ctx, c, *st)
	return ref, true, err
}

// solveState returns the content of a state, nil if it is empty.
func solveState(ctx context.Context, c client.Client, st llb.State) (client.Reference, error) {
	def, err := st.Marshal(ctx)
	if err != nil {
		return nil, err
	}
	res, err := c.Solve(ctx, client.SolveRequest{Definition: def.ToPB(), Evaluate: true})
	if err != nil {
		return nil, err
	}
	return res.SingleRef()
}

var errNoCertificates = errors.New("it holds no *.crt or *.pem file")

func readCertificates(ctx context.Context, ref client.Reference) ([]*x509.Certificate, error) {
	if ref == nil {
		return nil, errNoCertificates
	}
	files, err := ref.ReadDir(ctx, client.ReadDirRequest{Path: "/"})
	if err != nil {
		return nil, err
	}
	var certs []*x509.Certificate
	for _, f := range files {
		if f.IsDir() || !isCertificateFile(f.Path) {
			continue
		}
		data, err := dockerui.ReadFile(ctx, ref, f.Path)
		if err != nil {
			return nil, err
		}
		found, err := cabundle.ParseFile(f.Path, data)
		if err != nil {
			return nil, err
		}
		certs = append(certs, found...)
	}
	if len(certs) == 0 {
		return nil, errNoCertificates
	}
	return certs, nil
}

// isCertificateFile reports whether a file's name says that it holds certificates.
func isCertificateFile(name string) bool {
	ext := path.Ext(name)
	return ext == ".crt" || ext == ".pem"
}
