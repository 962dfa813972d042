package bootstrap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/containerd/platforms"
	"github.com/distribution/reference"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/exporter/containerimage/exptypes"
	gateway "github.com/moby/buildkit/frontend/gateway/client"
	"github.com/moby/buildkit/solver/pb"
	dockerspec "github.com/moby/docker-image-spec/specs-go/v1"
	ocispecs "github.com/opencontainers/image-spec/specs-go/v1"
)

// Build is a build of the text, in a session with a daemon.
type Build struct {
	Spec Spec
	// Ready is given the text before the frontend reads it.
	Ready func(text []byte) error
	// Secure makes the text that builders without the frontend read; nil if none is
	// wanted.
	Secure func(text []byte) ([]byte, error)

	// SourceDigest is that of the source image, once it is known.
	SourceDigest string
	// Secured is what Secure made, once the source image is known.
	Secured []byte
	// Found are the commands' places in the image, "" where there is none, once the
	// image is built; nil before.
	Found map[string]string
}

// Missing is an image without a command that it needs.
type Missing struct {
	Command string
	// Package brings the command, "" if none is known that does.
	Package string
	// Installed says that the package is one of those that were asked for.
	Installed bool
}

// Error says what to do about it.
func (m *Missing) Error() string {
	text := "the image has no command " + m.Command
	switch {
	case m.Installed:
		return text + " for its user, although the package " + m.Package + " is installed"
	case m.Package != "":
		return text + ": add --apt-package " + m.Package
	}
	return text
}

// Around is the frontend with what comes before and after it: the source image's
// user is read first, and nothing is exported of an image that lacks a command.
func (b *Build) Around(frontend gateway.BuildFunc) gateway.BuildFunc {
	return func(ctx context.Context, c gateway.Client) (*gateway.Result, error) {
		if err := b.prepare(ctx, c); err != nil {
			return nil, err
		}
		res, err := frontend(ctx, c)
		if err != nil {
			return nil, err
		}
		return res, b.check(ctx, c, res)
	}
}

// prepare reads the source image's configuration and makes the text.
func (b *Build) prepare(ctx context.Context, c gateway.Client) error {
	named, err := reference.ParseNormalizedNamed(b.Spec.Source)
	if err != nil {
		return err
	}
	platform, err := platformOf(c.BuildOpts())
	if err != nil {
		return err
	}
	_, digest, data, err := c.ResolveImageConfig(ctx, reference.TagNameOnly(named).String(), sourceresolver.Opt{
		LogName:  "[internal] read the user of " + b.Spec.Source,
		ImageOpt: &sourceresolver.ResolveImageOpt{Platform: platform, ResolveMode: c.BuildOpts().Opts["image-resolve-mode"]},
	})
	if err != nil {
		return fmt.Errorf("the image %s can't be read: %w", b.Spec.Source, err)
	}
	b.SourceDigest = digest.String()
	if !b.Spec.UserKnown {
		config, err := parseConfig(data)
		if err != nil {
			return fmt.Errorf("the image %s: %w", b.Spec.Source, err)
		}
		if b.Spec, err = b.Spec.WithUser(config.Config.User); err != nil {
			return err
		}
	}
	text := b.Spec.Dockerfile()
	return errors.Join(b.secure(text), b.Ready(text))
}

func (b *Build) secure(text []byte) (err error) {
	if b.Secure != nil {
		b.Secured, err = b.Secure(text)
	}
	return err
}

func parseConfig(data []byte) (*dockerspec.DockerOCIImage, error) {
	var config dockerspec.DockerOCIImage
	if err := json.Unmarshal(data, &config); err != nil {
		return nil, fmt.Errorf("its configuration is no JSON: %w", err)
	}
	return &config, nil
}

// platformOf is the one platform that is built for.
func platformOf(o gateway.BuildOpts) (*ocispecs.Platform, error) {
	if text := o.Opts["platform"]; text != "" {
		p, err := platforms.Parse(text)
		return &p, err
	}
	if len(o.Workers) == 0 || len(o.Workers[0].Platforms) == 0 {
		return nil, errors.New("the daemon names no platform that it builds for")
	}
	return &o.Workers[0].Platforms[0], nil
}

const (
	// foundAt is where the check writes, in a mount of its own: /dev is not in images.
	foundAt = "/dev/.loopx-check"
	// maxPath bounds what is read of a command's place, in bytes.
	maxPath = 4096
)

// checkScript writes where each command is, as the image's user finds it, into a
// file with the command's number. A name found that is no program counts as not
// found: "command -v" of some shells takes a file that may not be executed.
const checkScript = `n=0; for c in "$@"; do p=$(command -v -- "$c") || p=; case $p in /*) [ -x "$p" ] || p= ;; esac; printf %s "$p" >` + foundAt + `/$n; n=$((n+1)); done`

// check runs the script in the built image, in a step that is in no image and has
// no network.
func (b *Build) check(ctx context.Context, c gateway.Client, res *gateway.Result) error {
	commands := b.Spec.Commands
	b.Found = map[string]string{}
	if len(commands) == 0 {
		return nil
	}
	ref, err := res.SingleRef()
	if err != nil {
		return err
	}
	step, err := b.checkStep(ref, res.Metadata[exptypes.ExporterImageConfigKey])
	if err != nil {
		return err
	}
	platform, err := platformOf(c.BuildOpts())
	if err != nil {
		return err
	}
	def, err := step.Marshal(ctx, llb.Platform(*platform))
	if err != nil {
		return err
	}
	checked, err := c.Solve(ctx, gateway.SolveRequest{Definition: def.ToPB(), Evaluate: true})
	if err != nil {
		return fmt.Errorf("the commands can't be looked for in the image: %w", err)
	}
	out, err := checked.SingleRef()
	if err != nil {
		return err
	}
	return b.read(ctx, out)
}

// checkStep is the result of the script.
func (b *Build) checkStep(ref gateway.Reference, config []byte) (llb.State, error) {
	image, err := parseConfig(config)
	if err != nil {
		return llb.State{}, err
	}
	st, err := ref.ToState()
	if err != nil {
		return llb.State{}, err
	}
	options := []llb.RunOption{
		llb.Args(append([]string{"/bin/sh", "-c", checkScript, "sh"}, b.Spec.Commands...)),
		llb.User(image.Config.User), llb.Dir("/"), llb.Network(pb.NetMode_NONE),
		llb.WithCustomName("[check] look for " + strings.Join(b.Spec.Commands, ", ")),
	}
	for _, variable := range image.Config.Env {
		name, value, _ := strings.Cut(variable, "=")
		options = append(options, llb.AddEnv(name, value))
	}
	const folder = "/found"
	mount := llb.Scratch().File(llb.Mkdir(folder, 0o777), llb.WithCustomName("[internal] a place for what the check finds"))
	return st.Run(options...).AddMount(foundAt, mount, llb.SourcePath(folder)), nil
}

// read reads what the script wrote. The error is that of the first command that
// is missing.
func (b *Build) read(ctx context.Context, out gateway.Reference) error {
	var first error
	for i, command := range b.Spec.Commands {
		path, err := out.ReadFile(ctx, gateway.ReadRequest{Filename: "/found/" + strconv.Itoa(i), Range: &gateway.FileRange{Length: maxPath}})
		if err != nil {
			return fmt.Errorf("the check of the command %s left nothing: %w", command, err)
		}
		b.Found[command] = string(path)
		if len(path) == 0 && first == nil {
			first = b.Spec.missing(command)
		}
	}
	return first
}
