package frontend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/policy/settings"
	"github.com/moby/buildkit/frontend/dockerui"
	"github.com/moby/buildkit/frontend/gateway/client"
)

// contextPolicy is the named context with the operator's signers: docker build
// --build-context loopx-policy=DIR, or the protected branch of a repository,
// --build-context loopx-policy=https://example.com/repo.git#main:.loopx.
const contextPolicy = "loopx-policy"

// dockerfileVariable is the build arg by which the operator says what the client
// does not: the path of the Dockerfile from the root of its repository.
const dockerfileVariable = "LOOPX_DOCKERFILE"

// Options that buildx sends for a folder of a git repository.
const (
	vcsSource        = "vcs:source"
	vcsDockerfileDir = "vcs:localdir:dockerfile"
	vcsContextDir    = "vcs:localdir:context"
)

// signatures reads who may lift a blocker, and what was signed. Nothing of the
// first comes from the build context, which is the change that is checked.
type signatures struct {
	// baked is the folder of the frontend's own image, nil if there is none.
	baked fs.FS

	once sync.Once
	all  signed
	err  error

	asked    sync.Once
	operator readFunc // of the named context, nil if the request has none
	problem  error
}

// signed is what was signed, and whom to believe.
type signed struct {
	trust   ack.Trust
	entries []ack.Entry
	now     time.Time
	// problem is why the acknowledgements of the build context can't be read, ""
	// if they can. Then none counts.
	problem string
}

// read reads all once.
func (s *signatures) read(ctx context.Context, g *gateway) (signed, error) {
	s.once.Do(func() { s.all, s.err = s.load(ctx, besides{g}) })
	return s.all, s.err
}

func (s *signatures) load(ctx context.Context, g besides) (signed, error) {
	all := signed{now: time.Now()}
	operator, err := s.named(ctx, g)
	if err != nil {
		return all, err
	}
	if all.trust, err = s.trusted(operator, g.reporter.cfg.settings.Lock != nil); err != nil {
		return all, err
	}
	all.trust.Repository = repository(g.opts.Opts, g.reporter.cfg.settings.Repository)
	if operator != nil {
		if all.entries, err = entries(operator, path.Base(ack.Path)); err != nil {
			return all, fmt.Errorf("build context %s: %w", contextPolicy, err)
		}
	}
	if all.entries == nil {
		if all.entries, err = contextEntries(ctx, g); err != nil && ctx.Err() == nil {
			// The build may do without its context, and an audit goes on.
			all.problem, err = "the acknowledgements of the build context can't be read: "+policy.Line(plain.Text(err.Error())), nil
		}
	}
	return all, err
}

// named returns the operator's named context, nil if there is none. Under a lock
// it may hold acknowledgements, and whose signature counts is the image's to say.
func (s *signatures) named(ctx context.Context, g besides) (readFunc, error) {
	s.asked.Do(func() {
		if s.operator, s.problem = policyContext(ctx, g); s.problem != nil {
			s.problem = fmt.Errorf("build context %s: %w", contextPolicy, s.problem)
			return
		}
		if s.operator != nil && g.reporter.cfg.settings.Lock != nil {
			s.problem = refuseSigners(s.operator, g.reporter.cfg.settings)
		}
	})
	return s.operator, s.problem
}

// refuseSigners returns the error for files of the named context that say whose
// signature counts.
func refuseSigners(operator readFunc, in *settings.Settings) error {
	for _, name := range []string{ack.SignersFile, ack.PolicyFile, ack.RevokedFile} {
		_, err := operator(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		in.Refuse(settings.Refusal{
			Source: "build context " + contextPolicy, Owner: settings.Operator,
			Weakens: "holds " + name + ", and whose signature lifts a blocker is for the image alone to say",
		})
	}
	return in.Err()
}

// trusted returns the signers: the operator's, or those of the image. Under a
// lock they are the image's.
func (s *signatures) trusted(operator readFunc, locked bool) (ack.Trust, error) {
	if operator != nil && !locked {
		t, err := ack.Load("the build context "+contextPolicy, time.UTC, operator)
		if err != nil {
			return t, fmt.Errorf("build context %s: %w", contextPolicy, err)
		}
		if t.Source == "" {
			return t, fmt.Errorf("build context %s: it has neither %s nor %s", contextPolicy, ack.SignersFile, ack.PolicyFile)
		}
		return t, nil
	}
	if s.baked == nil {
		return ack.Trust{}, nil
	}
	t, err := ack.Load("the frontend's image", time.UTC, func(name string) ([]byte, error) { return fs.ReadFile(s.baked, name) })
	if err != nil {
		return t, fmt.Errorf("%s in the frontend's image: %w", PolicyDir, err)
	}
	return t, nil
}

// readFunc reads a file of a folder; the error is fs.ErrNotExist if there is
// none.
type readFunc func(name string) ([]byte, error)

// policyContext returns the named context, nil if the request has none.
func policyContext(ctx context.Context, c client.Client) (readFunc, error) {
	ref, found, err := solveNamedContext(ctx, c, contextPolicy,
		ack.SignersFile, ack.RevokedFile, ack.PolicyFile, path.Base(ack.Path))
	if err != nil || !found {
		return nil, err
	}
	return reading(ctx, ref), nil
}

// reading reads files of a result. Whether there is a file is asked of its
// folder: the error for a missing file has no shape of its own once it came over
// the gateway. The top folder is always there, so that what fails there is no
// missing file: a list of revoked keys must not be lost by that.
func reading(ctx context.Context, ref client.Reference) readFunc {
	return func(name string) ([]byte, error) {
		if ref == nil {
			return nil, fs.ErrNotExist
		}
		dir := path.Dir("/" + name)
		files, err := ref.ReadDir(ctx, client.ReadDirRequest{Path: dir, IncludePattern: path.Base(name)})
		switch {
		case err != nil && (dir == "/" || ctx.Err() != nil):
			return nil, err
		case err != nil || len(files) == 0:
			return nil, fs.ErrNotExist
		case os.FileMode(files[0].Mode).Type()&^fs.ModeSymlink != 0: // a link stays in the folder
			return nil, errors.New("it is not a plain file")
		}
		return dockerui.ReadFile(ctx, ref, name)
	}
}

// entries reads a file of acknowledgements; there are none if it is missing.
func entries(read readFunc, name string) ([]ack.Entry, error) {
	data, err := read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	list, err := ack.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; until it is mended, no acknowledgement counts", name, err)
	}
	return list, nil
}

// contextEntries reads the acknowledgements at the root of the build context,
// which .dockerignore does not hide.
func contextEntries(ctx context.Context, c besides) ([]ack.Entry, error) {
	ref, err := contextFile(ctx, c, ack.Path)
	if err != nil {
		return nil, err
	}
	return entries(reading(ctx, ref), ack.Path)
}

// repository is the identifier of the repository that is built: what the
// configuration says, what buildx says of the folder, or the remote context. "" if
// none is known.
func repository(opts map[string]string, said string) string {
	if said != "" {
		return repositoryID(said)
	}
	remote, _, _ := strings.Cut(opts["context"], "#")
	for _, address := range []string{opts[vcsSource], remote} {
		if id, ok := ack.RepositoryID(address); ok {
			return id
		}
	}
	return ""
}

// repositoryID is the identifier that an address, or an identifier, names.
func repositoryID(said string) string {
	if id, ok := ack.RepositoryID(said); ok { // userinfo goes
		return id
	}
	return said
}

// dockerfilePath is the path of the Dockerfile from the root of its repository,
// as far as it is known.
func dockerfilePath(opts map[string]string, filename string) string {
	if name := opts[buildArgPrefix+dockerfileVariable]; name != "" {
		return path.Clean(name)
	}
	return builtDockerfile(opts, filename)
}

// builtDockerfile is the path as the client tells it: buildx says the folder of a
// local one, and a remote context has it behind the "#".
func builtDockerfile(opts map[string]string, filename string) string {
	dir := opts[vcsDockerfileDir]
	if _, fragment, remote := strings.Cut(opts["context"], "#"); remote {
		_, dir, _ = strings.Cut(fragment, ":")
	}
	return path.Join(dir, filename)
}
