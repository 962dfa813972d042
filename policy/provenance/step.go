package provenance

import (
	"path"
	"slices"
	"strings"

	"github.com/containerd/platforms"
	provenancetypes "github.com/moby/buildkit/solver/llbsolver/provenance/types"
	"github.com/moby/buildkit/solver/pb"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// Where the frontend mounts what it gives to a RUN; package frontend/mount says
// what is there.
const (
	// GuardDir is where it is seen in a RUN.
	GuardDir = "/dev/.loopx"
	// guardImageDir is where it is in the frontend's image, and guardApt what
	// holds apt's acquire method.
	guardImageDir = "/loopx/"
	guardApt      = guardImageDir + "apt/"
)

// Step is one op of the build's definition. One of Run, Source is set for a RUN
// and a fetch; neither for what only moves files.
type Step struct {
	// ID is BuildKit's, "step3".
	ID string
	// Kind is "exec", "source", "file", "merge", "diff", "build" or "".
	Kind string
	// Platform is in containerd's notation, "" if the op has none.
	Platform string
	// File and Line are where it comes from, "" and 0 if that is not recorded.
	// Lines count from 1. FileIndex is the file's in Build.Files, -1 if there is
	// none: two files may have one name.
	File      string
	Line      int
	FileIndex int
	// Inputs are the ids of the steps whose results it takes.
	Inputs []string
	Run    *Run
	Source *Source
}

// Run is an exec op.
type Run struct {
	// Args is the command, Env its environment ("NAME=value").
	Args, Env []string
	// Script is the text of a heredoc that begins with "#!", which Args names;
	// "" if there is none.
	Script string
	// Network is "sandbox", "host" or "none"; a number for what is not known.
	Network string
	// Insecure is true with --security=insecure.
	Insecure bool
	Mounts   []Mount
	// Raw has the command, its environment and script with the secrets in them, and
	// is never shown; nil if nothing is masked.
	Raw *Run `json:"-"`
	// Guard is what the frontend mounted, nil if nothing.
	Guard *Guard
}

// Masked reports whether something in the command is masked.
func (r *Run) Masked() bool { return r.Raw != nil }

// Words is the command as it is analysed, without the variable that the guard sets.
func (r *Run) Words() words.Input {
	in := words.Input{Script: textmap.Identity(r.Script)}
	for _, a := range r.Args {
		in.Args = append(in.Args, textmap.Identity(a))
	}
	for _, kv := range r.Env {
		name, value, _ := strings.Cut(kv, "=")
		if r.Guard != nil && strings.HasPrefix(value, GuardDir+"/") {
			continue
		}
		in.Env = append(in.Env, words.Var{Name: name, Value: textmap.Identity(value)})
	}
	return in
}

// Unmasked is Words with secrets in it: what is masked there may be an address.
// Nothing of what an analysis says of it may be shown.
func (r *Run) Unmasked() words.Input {
	if r.Raw == nil {
		return r.Words()
	}
	raw := *r.Raw
	raw.Guard = r.Guard
	return raw.Words()
}

// Covered reports whether the guard also reaches an apt that does not see the
// variable which names its configuration.
func (r *Run) Covered() bool {
	return slices.ContainsFunc(r.Mounts, func(m Mount) bool {
		return m.Type == "bind" && m.ReadOnly && (m.Dest == rewrite.AptConfFile || m.Dest == rewrite.SudoersFile)
	})
}

// Networked reports whether the command could reach a network.
func (r *Run) Networked() bool { return r.Network != "none" }

// Mount is one mount of a RUN but for its root.
type Mount struct {
	// Type is "bind", "secret", "ssh", "cache" or "tmpfs"; a number for what is
	// not known.
	Type     string
	Dest     string
	Selector string
	ReadOnly bool
	// From is the id of the step whose files it shows, "" if none.
	From string
	// ID is that of a secret, an SSH agent or a cache.
	ID string
}

// Guard is the mount at GuardDir. That there is one says nothing yet: it is the
// frontend's only if Image is, at the digest of Build.Frontend.
type Guard struct {
	// Apt is true if it has the shape of apt's: read-only, of the right folder,
	// and APT_CONFIG names its configuration. False is one for certificates
	// only.
	Apt bool
	// Selector is the folder in the image.
	Selector string
	// Image is the reference of the image that it is from, with its digest; ""
	// if it is not from an image. Digest is the digest in it.
	Image, Digest string
}

// Source is a source op: something that the daemon itself fetched.
type Source struct {
	// URI is the address without userinfo: "https://…",
	// "docker-image://docker.io/library/debian:12@sha256:…", "git://…",
	// "local://context". A git op's own address is in it if there is one.
	URI string
	// Scheme is what stands before "://".
	Scheme string
	// Checksum is what the author pinned: http.checksum or git.checksum, or the
	// digest of an image; "" if nothing.
	Checksum string
	// Frontend is true for the frontend's image, which the guard is from.
	Frontend bool
	// Recorded is the index in Build.Materials of what the daemon recorded for
	// it, -1 if nothing.
	Recorded int
}

// Ref returns the reference of an image, "" for another source.
func (s *Source) Ref() string {
	for _, scheme := range []string{"docker-image://", "oci-layout://"} {
		if ref, ok := strings.CutPrefix(s.URI, scheme); ok {
			return ref
		}
	}
	return ""
}

// Clear reports whether the address is one in clear text.
func (s *Source) Clear() bool { return ClearText(s.Scheme) }

// withoutRef is a git address without the commit or branch behind it.
func withoutRef(uri string) string {
	uri, _, _ = strings.Cut(uri, "#")
	return uri
}

// newSteps reads the ops of a build. The last one, which only names the result,
// is left out.
func newSteps(config *provenancetypes.BuildConfig, source *provenancetypes.Source) []Step {
	var steps []Step
	r := reader{ops: map[string]*pb.Op{}, sources: map[string]*Source{}}
	for _, s := range config.Definition {
		if s.Op.GetOp() == nil {
			continue
		}
		step := Step{ID: s.ID, Kind: kindOf(s.Op), Inputs: s.Inputs, Platform: platformName(s.Op.GetPlatform())}
		step.place(source)
		step.Source = newSource(s.Op.GetSource())
		step.Run = newRun(s.Op.GetExec(), s.Inputs)
		r.ops[s.ID], r.sources[s.ID] = s.Op, step.Source
		steps = append(steps, step)
	}
	for _, s := range steps {
		if s.Run != nil {
			r.guard(s.Run)
			r.script(s.Run)
		}
	}
	return steps
}

// reader reads what a RUN's mounts show of other steps.
type reader struct {
	ops     map[string]*pb.Op
	sources map[string]*Source
}

// stepID is the step of an input: "step3:0" without the index of the result.
func stepID(input string) string {
	id, _, _ := strings.Cut(input, ":")
	return id
}

// pipes is where BuildKit mounts the file of a heredoc that begins with "#!".
const pipes = "/dev/pipes"

// script finds the file that the last word of the command names there.
func (r reader) script(run *Run) {
	if len(run.Args) == 0 || path.Dir(run.Args[len(run.Args)-1]) != pipes {
		return
	}
	name := path.Base(run.Args[len(run.Args)-1])
	i := slices.IndexFunc(run.Mounts, func(m Mount) bool { return path.Clean(m.Dest) == pipes })
	if i < 0 {
		return
	}
	for _, a := range r.ops[stepID(run.Mounts[i].From)].GetFile().GetActions() {
		if f := a.GetMkfile(); f != nil && path.Base(f.GetPath()) == name {
			text := string(f.GetData())
			run.Script = policy.Redact(text)
			if run.Raw == nil && run.Script != text {
				run.Raw = &Run{Args: run.Args, Env: run.Env}
			}
			if run.Raw != nil {
				run.Raw.Script = text
			}
			return
		}
	}
}

// guard finds the frontend's mount.
func (r reader) guard(run *Run) {
	i := slices.IndexFunc(run.Mounts, func(m Mount) bool { return path.Clean(m.Dest) == GuardDir })
	if i < 0 {
		return
	}
	m := run.Mounts[i]
	run.Guard = &Guard{
		Selector: m.Selector,
		Apt: m.Type == "bind" && m.ReadOnly && strings.HasPrefix(m.Selector, guardApt) &&
			slices.Contains(run.Env, "APT_CONFIG="+GuardDir+"/apt/apt.conf"),
	}
	if s := r.sources[stepID(m.From)]; s != nil && s.Scheme == "docker-image" {
		run.Guard.Image, run.Guard.Digest = s.Ref(), digestIn(s.Ref())
	}
}

func kindOf(op *pb.Op) string {
	switch op.GetOp().(type) {
	case *pb.Op_Exec:
		return "exec"
	case *pb.Op_Source:
		return "source"
	case *pb.Op_File:
		return "file"
	case *pb.Op_Merge:
		return "merge"
	case *pb.Op_Diff:
		return "diff"
	case *pb.Op_Build:
		return "build"
	}
	return ""
}

// place says where a step comes from.
func (s *Step) place(source *provenancetypes.Source) {
	s.FileIndex = -1
	if source == nil {
		return
	}
	for _, loc := range source.Locations[s.ID].GetLocations() {
		i := int(loc.GetSourceIndex())
		if i < 0 || i >= len(source.Infos) || len(loc.GetRanges()) == 0 {
			continue
		}
		s.FileIndex, s.File, s.Line = i, source.Infos[i].Filename, int(loc.GetRanges()[0].GetStart().GetLine())
		return
	}
}

func newSource(op *pb.SourceOp) *Source {
	if op == nil {
		return nil
	}
	uri := op.GetIdentifier()
	attrs := op.GetAttrs()
	if full := attrs[pb.AttrFullRemoteURL]; full != "" {
		uri = full
		if _, ref, ok := strings.Cut(op.GetIdentifier(), "#"); ok {
			uri += "#" + ref
		}
	}
	scheme, _, ok := strings.Cut(uri, "://")
	if !ok { // git@host:path
		scheme = "ssh"
	}
	if ref, ok := strings.CutPrefix(uri, scheme+"://"); ok && (scheme == "docker-image" || scheme == "oci-layout") {
		uri = scheme + "://" + redactRef(ref)
	} else {
		uri = policy.Redact(uri)
	}
	s := &Source{URI: uri, Scheme: strings.ToLower(scheme), Frontend: attrs[pb.AttrImageRecordType] == "frontend", Recorded: -1}
	for _, name := range []string{pb.AttrHTTPChecksum, pb.AttrGitChecksum, pb.AttrImageChecksum} {
		if sum := attrs[name]; sum != "" {
			s.Checksum = sum
		}
	}
	if s.Checksum == "" && s.Ref() != "" {
		s.Checksum = digestIn(s.Ref())
	}
	return s
}

func newRun(op *pb.ExecOp, inputs []string) *Run {
	if op == nil {
		return nil
	}
	r := &Run{
		Args: masked(op.GetMeta().GetArgs()), Env: masked(op.GetMeta().GetEnv()),
		Network:  word(op.GetNetwork().String(), map[string]string{"UNSET": "sandbox", "HOST": "host", "NONE": "none"}),
		Insecure: op.GetSecurity() == pb.SecurityMode_INSECURE,
	}
	if args, env := op.GetMeta().GetArgs(), op.GetMeta().GetEnv(); !slices.Equal(r.Args, args) || !slices.Equal(r.Env, env) {
		r.Raw = &Run{Args: args, Env: env}
	}
	for _, m := range op.GetMounts() {
		if m.GetDest() == pb.RootMount {
			continue
		}
		mount := Mount{
			Type: strings.ToLower(m.GetMountType().String()), Dest: m.GetDest(), Selector: m.GetSelector(), ReadOnly: m.GetReadonly(),
		}
		if i := m.GetInput(); i >= 0 && i < int64(len(inputs)) && m.GetMountType() == pb.MountType_BIND {
			mount.From = inputs[i]
		}
		switch m.GetMountType() {
		case pb.MountType_SECRET:
			mount.ID = m.GetSecretOpt().GetID()
		case pb.MountType_SSH:
			mount.ID = m.GetSSHOpt().GetID()
		case pb.MountType_CACHE:
			mount.ID = m.GetCacheOpt().GetID()
		}
		r.Mounts = append(r.Mounts, mount)
	}
	return r
}

// masked returns words without what may be secret.
func masked(words []string) []string {
	var out []string
	for _, w := range words {
		out = append(out, policy.Redact(w))
	}
	return out
}

func word(name string, words map[string]string) string {
	if w, ok := words[name]; ok {
		return w
	}
	return strings.ToLower(name)
}

// platformName is a platform in containerd's notation.
func platformName(p *pb.Platform) string {
	if p.GetOS() == "" {
		return ""
	}
	return platforms.Format(p.Spec())
}
