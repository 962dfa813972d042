package provenance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/distribution/reference"
	slsa02 "github.com/in-toto/in-toto-golang/in_toto/slsa_provenance/v0.2"
	slsa1 "github.com/in-toto/in-toto-golang/in_toto/slsa_provenance/v1"
	provenancetypes "github.com/moby/buildkit/solver/llbsolver/provenance/types"
	digest "github.com/opencontainers/go-digest"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// MaxSize is the largest document that is read, in bytes. BuildKit's own for a
// build of a dozen steps has a quarter of a MiB.
const MaxSize = 16 << 20

// ErrOther is returned for a statement of another kind than provenance, such as
// an SBOM.
var ErrOther = errors.New("is no SLSA provenance")

// IsProvenance reports whether a predicate type is one that Parse reads.
func IsProvenance(predicateType string) bool {
	return predicateType == slsa02.PredicateSLSAProvenance || predicateType == slsa1.PredicateSLSAProvenance
}

// Parse reads provenance: an in-toto statement, or the bare predicate that
// docker buildx build --metadata-file writes. The error wraps ErrOther if it is
// a statement of something else, and else says what is wrong with the text.
func Parse(data []byte) (*Build, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("the provenance is larger than %d MiB", MaxSize>>20)
	}
	data = bytes.TrimSpace(data)
	s, err := ReadStatement(data)
	if err != nil {
		return nil, err
	}
	switch {
	case s.PredicateType == slsa1.PredicateSLSAProvenance:
		return s.with(s.v1())
	case s.PredicateType == slsa02.PredicateSLSAProvenance:
		return s.with(s.v02())
	case s.PredicateType != "" || s.Type != "":
		return nil, fmt.Errorf("a statement of type %q %w", s.PredicateType, ErrOther)
	}
	var bare struct {
		BuildDefinition json.RawMessage `json:"buildDefinition"`
		BuildType       string          `json:"buildType"`
	}
	if err := json.Unmarshal(data, &bare); err != nil {
		return nil, fmt.Errorf("the provenance can't be read: %w", err)
	}
	s.Predicate = data
	switch {
	case bare.BuildDefinition != nil:
		return s.with(s.v1())
	case bare.BuildType != "":
		return s.with(s.v02())
	}
	return nil, fmt.Errorf("the document %w", ErrOther)
}

func (s *Statement) v1() (*provenancetypes.ProvenancePredicateSLSA1, string, error) {
	var p provenancetypes.ProvenancePredicateSLSA1
	err := json.Unmarshal(s.Predicate, &p)
	return &p, "v1", err
}

func (s *Statement) v02() (*provenancetypes.ProvenancePredicateSLSA1, string, error) {
	var p provenancetypes.ProvenancePredicateSLSA02
	if err := json.Unmarshal(s.Predicate, &p); err != nil {
		return nil, "", err
	}
	build := p.BuildType
	v1 := p.ConvertToSLSA1()
	v1.BuildDefinition.BuildType = build
	return v1, "v0.2", nil
}

// with makes a Build of a predicate and the statement's subjects.
func (s *Statement) with(p *provenancetypes.ProvenancePredicateSLSA1, version string, err error) (*Build, error) {
	if err != nil {
		return nil, fmt.Errorf("the provenance can't be read: %w", err)
	}
	b := newBuild(p)
	b.Version = version
	b.Subjects = s.Subjects
	return b, nil
}

func newBuild(p *provenancetypes.ProvenancePredicateSLSA1) *Build {
	def, run := &p.BuildDefinition, &p.RunDetails
	request := &def.ExternalParameters.Request
	config := def.ExternalParameters.ConfigSource
	b := &Build{
		BuilderID: policy.Redact(run.Builder.ID), BuildType: def.BuildType, Mode: Min,
		Platform: def.InternalParameters.TargetPlatform, BuilderPlatform: def.InternalParameters.BuilderPlatform,
		Config: ConfigSource{URI: policy.Redact(config.URI), Digest: bestDigest(config.Digest), Path: config.Path},
	}
	for _, m := range def.ResolvedDependencies {
		b.Materials = append(b.Materials, newMaterial(m.URI, m.Digest))
	}
	for _, l := range request.Locals {
		if l != nil {
			b.Locals = append(b.Locals, l.Name)
		}
	}
	b.Frontend = b.frontend(request)
	b.BuildArgs = b.Frontend.BuildArgs()
	b.inputs("", request, maxNested)
	if request.Root != nil && request.Root.Request != nil {
		root := b.frontend(request.Root.Request)
		b.Root = &root
	}
	b.metadata(run.Metadata, def.InternalParameters.BuildConfig)
	return b
}

// maxNested is how deep builds may go into one another. What is deeper is an input
// without a frontend.
const maxNested = 32

// inputs reads the builds whose results went into one, and into those.
func (b *Build) inputs(prefix string, r *provenancetypes.Parameters, depth int) {
	for name, in := range r.Inputs {
		if b.Inputs == nil {
			b.Inputs = map[string]Frontend{}
		}
		name = prefix + policy.Redact(name)
		if in == nil || in.Request == nil || depth == 0 {
			b.Inputs[name] = Frontend{}
			continue
		}
		b.Inputs[name] = b.frontend(in.Request)
		if root := in.Request.Root; root != nil && root.Request != nil {
			b.Inputs[name+RootSuffix] = b.frontend(root.Request)
		}
		b.inputs(name+"/", in.Request, depth-1)
	}
}

// metadata reads what BuildKit adds to SLSA's fields.
func (b *Build) metadata(meta *provenancetypes.ProvenanceMetadataSLSA1, config *provenancetypes.BuildConfig) {
	if meta == nil {
		meta = &provenancetypes.ProvenanceMetadataSLSA1{}
	}
	b.Invocation = meta.InvocationID
	b.Revision = policy.Redact(meta.BuildKitMetadata.VCS["revision"])
	b.Complete = Complete{Request: meta.Completeness.Request, Materials: meta.Completeness.ResolvedDependencies}
	b.Hermetic, b.Reproducible = meta.Hermetic, meta.Reproducible
	source := meta.BuildKitMetadata.Source
	if config != nil && len(config.Definition) > 0 {
		b.Mode = Max
		b.Steps = newSteps(config, source)
		b.record()
		if source != nil {
			for _, info := range source.Infos {
				b.Files = append(b.Files, File{Name: info.Filename, Data: info.Data})
			}
		}
	}
	b.Proxy = newProxy(meta.BuildKitMetadata.Network, config)
}

// newProxy reads what the proxy network could not record.
func newProxy(network *provenancetypes.NetworkMetadata, config *provenancetypes.BuildConfig) *Proxy {
	if network == nil || network.Mode != "proxy" {
		return nil
	}
	p := &Proxy{}
	if network.Proxy == nil {
		return p
	}
	commands := map[string][]string{}
	if config != nil {
		for _, s := range config.Definition {
			if exec := s.Op.GetExec(); exec != nil {
				command := strings.Join(exec.GetMeta().GetArgs(), " ")
				commands[command] = append(commands[command], s.ID)
			}
		}
	}
	for _, in := range network.Proxy.Incomplete {
		p.Incomplete = append(p.Incomplete, Incomplete{
			Step: stepOf(in, config, commands), Command: policy.Redact(in.Name), Method: in.Method,
			URI: policy.Redact(in.URI), Final: policy.Redact(in.FinalURI), Reason: in.Reason,
		})
	}
	return p
}

// stepOf returns the step of a request: by its digest, or by its command if one
// step has it. The daemon puts a RUN into the proxy network by changing the op,
// and the digest is that of the changed one.
func stepOf(in provenancetypes.ProxyCaptureIncomplete, config *provenancetypes.BuildConfig, commands map[string][]string) string {
	if config == nil {
		return ""
	}
	if id, ok := config.DigestMapping[digest.Digest(in.Op)]; ok {
		return id
	}
	if found := commands[in.Name]; len(found) == 1 {
		return found[0]
	}
	return ""
}

// frontend reads a request. A frontend that handed on to another is not in it.
func (b *Build) frontend(r *provenancetypes.Parameters) Frontend {
	f := Frontend{Name: r.Frontend, Attrs: map[string]string{}}
	for key, value := range r.Args {
		if key == "source" && r.Frontend == "gateway.v0" {
			f.Ref = redactRef(value)
			continue
		}
		f.Attrs[key] = strings.TrimPrefix(policy.Redact(key+"="+value), key+"=")
	}
	if f.Ref != "" {
		f.Digest = b.digestOf(f.Ref)
	}
	return f
}

// redactRef masks userinfo in what should be an image's reference; in one there
// can't be any.
func redactRef(ref string) string {
	if _, err := reference.ParseNormalizedNamed(ref); err == nil {
		return ref
	}
	return policy.Redact(route.Redact(ref))
}

// digestOf returns the digest of the image with a reference, "" unless the
// materials have exactly one for it.
func (b *Build) digestOf(ref string) string {
	pinned := digestIn(ref)
	var found []string
	for _, m := range b.Materials {
		if m.Kind == KindImage && sameImage(m.Ref, ref) && (pinned == "" || pinned == m.Digest) && m.Digest != "" {
			found = append(found, m.Digest)
		}
	}
	slices.Sort(found)
	if found = slices.Compact(found); len(found) != 1 {
		return ""
	}
	return found[0]
}

// BuildArgs are the build args among a frontend's options.
func (f *Frontend) BuildArgs() map[string]string {
	args := map[string]string{}
	for key, value := range f.Attrs {
		if name, ok := strings.CutPrefix(key, "build-arg:"); ok {
			args[name] = value
		}
	}
	return args
}
