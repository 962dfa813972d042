// Package provenance reads what BuildKit attests of a build: SLSA provenance,
// version 0.2 or 1, as an in-toto statement or as its bare predicate.
//
// What stands in a Build is as the daemon wrote it, but for secrets: userinfo,
// tokens and the values of variables that are called like secrets are masked
// (see policy.Redact), but in Run.Raw. It is text from elsewhere: print it through
// package plain.
//
// Nothing here verifies who made a document. See the package artifact of
// loopxctl for what binds it to an image.
package provenance

// Mode says how much the daemon recorded.
type Mode string

// The modes of --provenance=mode=…: only Max has Build.Steps, build args and
// the source files.
const (
	Min Mode = "min"
	Max Mode = "max"
)

// Build is what provenance says of the build of one platform.
type Build struct {
	// Version is that of SLSA provenance: "v0.2" or "v1".
	Version string
	// Subjects are what the statement is about. There are none in a bare
	// predicate, nor where the image was exported without a name.
	Subjects []Subject
	// BuilderID is who built, as the client named it; BuildType is BuildKit's;
	// Invocation is the daemon's name of the build.
	BuilderID, BuildType, Invocation string
	Mode                             Mode
	// Platform is the one that was built for, "" where that is not recorded
	// (v0.2); BuilderPlatform is the daemon's own.
	Platform, BuilderPlatform string
	// Frontend is what made the build's definition.
	Frontend Frontend
	// Root is what the client asked for, where that led to Frontend by way of
	// others; nil if it is Frontend. Those between the two are not recorded.
	Root *Frontend
	// Inputs are the frontends of other builds whose results went into this one
	// (named contexts that are targets), by name; those of the inputs' own inputs
	// have both names, "NAME/NAME". Where an input was led to its frontend by
	// another one, as Root says of Frontend, that is at "NAME" + RootSuffix.
	Inputs map[string]Frontend
	// BuildArgs are the build args, empty with Min.
	BuildArgs map[string]string
	// Revision is the commit that the client says it built, with "-dirty" behind
	// it if files were changed; "" if it does not say one.
	Revision string
	// Config is where the Dockerfile came from, if it was not a local folder.
	Config ConfigSource
	// Locals are the names of the local folders that were read.
	Locals []string
	// Materials are what the daemon fetched by itself, and what the proxy
	// network saw RUNs fetch.
	Materials []Material
	// Complete says what the daemon claims to have recorded wholly.
	Complete Complete
	// Hermetic is the daemon's word: complete materials, and no RUN with a
	// network. Reproducible is the client's.
	Hermetic, Reproducible bool
	// Proxy is nil unless RUNs were in BuildKit's proxy network.
	Proxy *Proxy
	// Steps are the ops of the build, inputs first; nil with Min.
	Steps []Step
	// Files are the Dockerfiles that steps come from; nil with Min.
	Files []File
}

// RootSuffix is behind the names in Build.Inputs of what led to an input's frontend.
const RootSuffix = " (root)"

// Complete is BuildKit's completeness.
type Complete struct {
	// Request is false if a part of the request is left out, like build args
	// with Min.
	Request bool
	// Materials is false if the build read what is no material: a local
	// folder, or what a RUN fetched and the proxy network could not capture. A
	// RUN that fetched outside of it leaves it true.
	Materials bool
}

// Subject is an artifact: its name (a package URL) and digest ("sha256:…").
type Subject struct{ Name, Digest string }

// ConfigSource is where the Dockerfile came from.
type ConfigSource struct{ URI, Digest, Path string }

// File is a file that steps come from. Data is as the user wrote it, and not
// masked.
type File struct {
	Name string
	Data []byte
}

// Frontend is what turned the Dockerfile into a definition.
type Frontend struct {
	// Name is "gateway.v0" for an image, or that of one of the daemon's own:
	// "dockerfile.v0".
	Name string
	// Ref is the image as it was named; "" for the daemon's own.
	Ref string
	// Digest is the image's ("sha256:…"), "" where no material, or no single
	// one, is that image.
	Digest string
	// Attrs are its options but for Ref, with build args ("build-arg:NAME").
	Attrs map[string]string
}

// Proxy is what BuildKit's proxy network has to say next to the materials that
// it captured.
type Proxy struct {
	// Incomplete are the requests that it let through and could not record.
	Incomplete []Incomplete
}

// Incomplete is a request that is no material.
type Incomplete struct {
	// Step is the id of the step that made it, "" if that is not known.
	Step string
	// Command is the step's, Method that of HTTP.
	Command, Method string
	// URI is as asked; Final is where redirects led, "" if nowhere.
	URI, Final string
	// Reason is BuildKit's word for why: "method_not_materializable",
	// "range_request", "http_status".
	Reason string
}

// Captured returns the materials that RUNs fetched through the proxy network:
// those over HTTP that no source step fetched. With Min they can't be told
// apart, and there are none.
func (b *Build) Captured() []Material {
	if b.Proxy == nil || b.Mode != Max {
		return nil
	}
	asked := map[string]bool{}
	for _, s := range b.Steps {
		if s.Source != nil {
			asked[s.Source.URI] = true
		}
	}
	var out []Material
	for _, m := range b.Materials {
		if m.Web() && !asked[m.URI] {
			out = append(out, m)
		}
	}
	return out
}

// Material returns what the daemon recorded for a source of one of the steps.
func (b *Build) Material(s *Source) (m Material, ok bool) {
	if s.Recorded < 0 || s.Recorded >= len(b.Materials) {
		return Material{}, false
	}
	return b.Materials[s.Recorded], true
}
