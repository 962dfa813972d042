package builder

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"

	"github.com/docker/cli/cli/config/configfile"
	"github.com/moby/buildkit/client"
	"github.com/moby/buildkit/identity"
	"github.com/moby/buildkit/util/entitlements"
	"github.com/tonistiigi/fsutil"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/display"
	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/sourcepolicy"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// plan is a build that is ready to be sent.
type plan struct {
	options Options
	streams Streams
	opt     client.SolveOpt
	outputs []output
	call    *call // nil for a build
	// provenance says that --provenance or --attest did.
	provenance  bool
	annotations map[string]string // attributes of exported images
	docker      *configfile.ConfigFile
	folders     map[string]string // local mounts, by name
	temporary   []string          // folders to remove
	answer      map[string][]byte // to a call
	loads       chan func() error // wait until the Docker engine has taken an image in
	pushes      []string          // what the Docker engine pushes when the build is done
}

// newPlan reads all options.
func newPlan(o Options, s Streams) (*plan, error) {
	p := &plan{options: o, streams: s, folders: map[string]string{}, docker: dockerConfig(s.Err)}
	p.opt = client.SolveOpt{
		Ref:           identity.NewID(),
		FrontendAttrs: map[string]string{},
		LocalMounts:   map[string]fsutil.FS{},
	}
	for _, step := range []func() error{
		p.parseCall, p.progress, p.attributes, p.parseAttests, p.parseAnnotations, p.parseSession, p.parseCache, p.parseAllow, p.parseOutputs,
		p.policy, p.staleFiles, p.inputs, p.namedContexts, p.vcs,
	} {
		if err := step(); err != nil {
			p.release()
			return nil, err
		}
	}
	return p, nil
}

// release removes what the plan put on disk.
func (p *plan) release() {
	for _, dir := range p.temporary {
		_ = os.RemoveAll(dir)
	}
}

// folder makes a temporary folder.
func (p *plan) folder(name string) (string, error) {
	dir, err := os.MkdirTemp("", "loopxctl-"+name+"-")
	if err == nil {
		p.temporary = append(p.temporary, dir)
	}
	return dir, err
}

// staleFiles removes what an earlier build left at the places that this one
// writes to, so that a failed build leaves none.
func (p *plan) staleFiles() error {
	for _, name := range []string{p.options.IIDFile, p.options.MetadataFile} {
		if name == "" {
			continue
		}
		if err := remove(name); err != nil {
			return err
		}
	}
	return nil
}

func (p *plan) parseAttests() error {
	attests, provenance, err := attestations(p.options)
	maps.Copy(p.opt.FrontendAttrs, attests)
	p.provenance = provenance
	return err
}

func (p *plan) parseAnnotations() (err error) {
	p.annotations, err = annotations(p.options.Annotations)
	return err
}

func (p *plan) parseSession() error {
	secrets, err := parseSecrets(p.options.Secrets, p.options.Env)
	if err != nil {
		return err
	}
	p.opt.Session = append(p.opt.Session, secrets, &registryAuth{config: p.docker})
	if len(p.options.SSH) == 0 {
		return nil
	}
	ssh, err := parseSSH(p.options.SSH)
	if err != nil {
		return err
	}
	p.opt.Session = append(p.opt.Session, ssh)
	return nil
}

func (p *plan) parseCache() (err error) {
	if p.opt.CacheImports, err = parseCaches("--cache-from", p.options.CacheFrom, p.options.Env); err != nil {
		return err
	}
	p.opt.CacheExports, err = parseCaches("--cache-to", p.options.CacheTo, p.options.Env)
	if p.options.BuildArgs["BUILDKIT_INLINE_CACHE"] == "1" {
		p.opt.CacheExports = append(p.opt.CacheExports, client.CacheOptionsEntry{Type: "inline", Attrs: map[string]string{}})
	}
	return err
}

func (p *plan) parseAllow() error {
	p.opt.AllowedEntitlements = append(p.opt.AllowedEntitlements, p.options.Allow...)
	if p.options.Network == networkHost {
		p.opt.AllowedEntitlements = append(p.opt.AllowedEntitlements, entitlements.EntitlementNetworkHost.String())
	}
	for _, allow := range p.options.Allow {
		if _, _, err := entitlements.Parse(allow); err != nil {
			return fmt.Errorf("--allow %s: known are network.host, security.insecure and device", allow)
		}
	}
	return nil
}

// policy turns on the proxy network, with the table as its policy.
func (p *plan) policy() error {
	if !p.options.ProxyNetwork {
		return nil
	}
	if p.options.Network != "" && p.options.Network != networkDefault {
		return fmt.Errorf("--proxy-network and --network=%s contradict each other", p.options.Network)
	}
	table, err := route.NewTable(p.options.InForce)
	if err != nil {
		return err
	}
	p.opt.ProxyNetwork = true
	p.opt.SourcePolicy = sourcepolicy.New(table, p.options.InForce)
	return nil
}

// progress checks --progress: only a terminal can show tty.
func (p *plan) progress() error {
	if err := display.Check(p.streams.Err, p.display()); err != nil {
		return errors.New("--progress tty needs a terminal as standard error; use plain or auto")
	}
	return nil
}

// parseCall reads --call.
func (p *plan) parseCall() error {
	name, format, _ := strings.Cut(p.options.Call, ",")
	if name == "" || name == "build" {
		return nil
	}
	c := &call{name: name}
	switch format {
	case "":
	case "format=json":
		c.json = true
	default:
		return errors.New("--call: after the name comes only format=json")
	}
	request, ok := requests()[name]
	if !ok {
		return fmt.Errorf("--call: there is no %q; known are build, check, outline, targets, describe", name)
	}
	p.call, p.opt.Internal = c, true
	p.opt.FrontendAttrs["requestid"] = request
	return nil
}
