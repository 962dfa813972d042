package builder

import (
	"io/fs"

	gateway "github.com/moby/buildkit/frontend/gateway/client"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/builder/display"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Options are those of a build, each as it is typed for `docker build`.
type Options struct {
	// Context is a folder, an address, or "-" for standard input.
	Context string
	// File is the Dockerfile: a path, "-" for standard input, or "".
	File string

	Tags         []string
	Target       string
	Platforms    []string
	BuildArgs    map[string]string
	Labels       []string
	Annotations  []string
	Secrets, SSH []string
	Contexts     []string // named ones, NAME=PLACE

	Outputs            []string
	Load, Push         bool
	CacheFrom, CacheTo []string
	Attests            []string
	SBOM, Provenance   string

	NoCache       bool
	NoCacheFilter []string
	Pull          bool
	Network       string
	AddHosts      []string
	Allow         []string
	ShmSize       string
	CgroupParent  string

	MetadataFile, IIDFile string
	Progress              display.Mode
	Quiet                 bool
	// Call is "build", "check", "outline", "targets", or another request to the
	// frontend, with ",format=json" behind it.
	Call string

	// Builder says which daemon builds, see daemon.Request.
	Builder string
	// Route is the operator's configuration, and InForce what it makes with the
	// files of the organisation and the project.
	Route, InForce route.Config
	// Organisation is the folder of the organisation's files.
	Organisation fs.FS
	// CA are files with certificates that RUNs trust.
	CA []string
	// Policy is a folder with the signers of acknowledgements, or another place
	// for the named context loopx-policy.
	Policy string
	// FrontendImage says where what RUNs are given is, see given.Find.
	FrontendImage string
	// ProxyNetwork runs RUNs in BuildKit's proxy network.
	ProxyNetwork bool

	// Around is what goes around the frontend in the same session, before anything
	// is exported; nil for nothing. An error of it fails the build.
	Around func(gateway.BuildFunc) gateway.BuildFunc

	// Version is that of the program, for the progress and the report.
	Version string
	// Env reads an environment variable.
	Env func(name string) (value string, ok bool)
}
