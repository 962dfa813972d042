package testbed

import (
	"maps"
	"path/filepath"
	"strings"

	"github.com/moby/buildkit/client"
	gateway "github.com/moby/buildkit/frontend/gateway/client"
	"github.com/tonistiigi/fsutil"
)

// Build is one build of a Dockerfile by a Daemon's own API. For a build by
// buildctl or docker buildx, see Buildctl and Buildx.
type Build struct {
	// Dockerfile is the file's text.
	Dockerfile string
	// Files is the build context: slash-separated paths and contents.
	Files map[string]string
	// Contexts are named contexts: name to folder.
	Contexts map[string]string
	// Attrs are options for the frontend: "target", "platform", "build-arg:NAME", ….
	Attrs map[string]string

	// Func, if set, is the frontend, run in this process. Else Frontend is the
	// reference of a frontend image, else the daemon's own dockerfile.v0 is used.
	Func     gateway.BuildFunc
	Frontend string

	// NoCache runs every step again. Set it where a test counts requests.
	NoCache bool
	// Push, if set, is the reference that the result is pushed to.
	Push string
	// OutputDir, if set, is a folder that receives the result's files.
	OutputDir string
	// Opt, if set, may change anything else before the build starts.
	Opt func(*client.SolveOpt)
}

// Result is what a build said. It is complete for a failed build too.
type Result struct {
	// Response is the exporter's answer.
	Response map[string]string
	// Vertices are the build's steps, each in its last state, in order of appearance.
	Vertices []*client.Vertex
	// Log is the output of all steps.
	Log string
	// Warnings are those of the frontend.
	Warnings []*client.VertexWarning
}

// Build runs b and returns what it said, and the build's error.
func (d *Daemon) Build(t TB, b Build) (*Result, error) {
	t.Helper()
	opt := b.solveOpt(t)
	c := d.Client(t)
	status := make(chan *client.SolveStatus)
	collected := make(chan *Result)
	go func() { collected <- collect(status) }()

	var response *client.SolveResponse
	var err error
	if b.Func != nil {
		response, err = c.Build(t.Context(), opt, "", b.Func, status)
	} else {
		response, err = c.Solve(t.Context(), nil, opt, status)
	}
	result := <-collected
	if response != nil {
		result.Response = response.ExporterResponse
	}
	return result, err
}

func (b *Build) solveOpt(t TB) client.SolveOpt {
	t.Helper()
	attrs := map[string]string{}
	maps.Copy(attrs, b.Attrs)
	if b.NoCache {
		attrs["no-cache"] = ""
	}
	mounts := map[string]fsutil.FS{
		"dockerfile": folder(t, map[string]string{"Dockerfile": b.Dockerfile}),
		"context":    folder(t, b.Files),
	}
	for name, dir := range b.Contexts {
		attrs["context:"+name] = "local:" + name
		mounts[name] = must[fsutil.FS](t, "named context")(fsutil.NewFS(dir))
	}
	opt := client.SolveOpt{
		Frontend:            "dockerfile.v0",
		FrontendAttrs:       attrs,
		LocalMounts:         mounts,
		AllowedEntitlements: []string{"network.host", "security.insecure"},
	}
	if b.Frontend != "" {
		opt.Frontend = "gateway.v0"
		attrs["source"] = b.Frontend
	}
	if b.Push != "" {
		opt.Exports = append(opt.Exports, client.ExportEntry{
			Type: client.ExporterImage, Attrs: map[string]string{"name": b.Push, "push": "true"},
		})
	}
	if b.OutputDir != "" {
		opt.Exports = append(opt.Exports, client.ExportEntry{Type: client.ExporterLocal, OutputDir: b.OutputDir})
	}
	if b.Opt != nil {
		b.Opt(&opt)
	}
	return opt
}

// folder writes files into a new folder and returns it as a file system.
func folder(t TB, files map[string]string) fsutil.FS {
	t.Helper()
	dir := t.TempDir()
	for name, body := range files {
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(body), 0o644); err != nil {
			t.Fatalf("%v", err)
		}
	}
	return must[fsutil.FS](t, "build context")(fsutil.NewFS(dir))
}

// collect reads status until it is closed.
func collect(status <-chan *client.SolveStatus) *Result {
	result := &Result{}
	var log strings.Builder
	at := map[string]int{} // vertex digest to index in result.Vertices
	for s := range status {
		for _, v := range s.Vertexes {
			i, seen := at[string(v.Digest)]
			if !seen {
				at[string(v.Digest)] = len(result.Vertices)
				result.Vertices = append(result.Vertices, v)
				continue
			}
			result.Vertices[i] = v
		}
		for _, l := range s.Logs {
			log.Write(l.Data)
		}
		result.Warnings = append(result.Warnings, s.Warnings...)
	}
	result.Log = log.String()
	return result
}
