package llbpass

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
	"github.com/moby/buildkit/solver/pb"
	digest "github.com/opencontainers/go-digest"
	"github.com/rogpeppe/go-internal/txtar"
	"google.golang.org/protobuf/proto"
)

// TestGoldens reads testdata/*.txtar: Dockerfile, and what it is built with
// (config, args, env, onbuild), make changed (the ops that the pass changed)
// and findings.
func TestGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { golden(t, file) })
	}
}

func golden(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, f := range archive.Files {
		sections[f.Name] = string(f.Data)
	}
	cfg, _, err := route.FromEnv(func(name string) (string, bool) {
		v, ok := pairs(sections["config"])[name]
		return v, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	b := base{env: lines(sections["env"]), onbuild: lines(sections["onbuild"])}
	in, err := convert(t.Context(), sections["Dockerfile"], b, pairs(sections["args"]))
	if err != nil {
		t.Fatal(err)
	}
	p := newPass(t, cfg)
	if strings.HasPrefix(filepath.Base(file), "guard_") {
		p = setUp(t, guardPass(t, cfg), pairs(sections["pass"]))
	}
	checkLaws(t, p, in)
	out, findings := mustRun(t, p, in)
	got := map[string]string{"changed": dumpChanged(t, in, out), "findings": printFindings(findings)}
	for _, name := range []string{"changed", "findings"} {
		if *update {
			set(archive, name, got[name])
			continue
		}
		if diff := cmp.Diff(sections[name], got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// setUp changes what the section pass of a golden names: apt, the mode; image,
// "none" or the error for it; stubs, "no"; route, the operator's; ca and locked, "yes".
func setUp(t *testing.T, p *Pass, values map[string]string) *Pass {
	t.Helper()
	for name, value := range values {
		switch name {
		case "apt":
			p.Apt = AptMode(value)
		case "image":
			p.Mount = func(context.Context, string) (*pb.Definition, error) { return nil, errors.New(value) }
			if value == "none" {
				p.Mount = nil
			}
		case "stubs":
			p.RecursiveStubs = value != "no"
		case "route":
			p.Operator = []byte(value)
		case "locked":
			p.Locked = value == "yes"
		case "ca":
			p.Bundle = p.Bundle.With([]*x509.Certificate{{Raw: []byte("the operator's")}})
		default:
			t.Fatalf("pass has no %q", name)
		}
	}
	return p
}

// set writes a section; one that is empty and not there stays away.
func set(a *txtar.Archive, name, data string) {
	i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == name })
	switch {
	case i >= 0:
		a.Files[i].Data = []byte(data)
	case data != "":
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(data)})
	}
}

func lines(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == '\n' })
}

func pairs(s string) map[string]string {
	m := map[string]string{}
	for _, line := range lines(s) {
		name, value, _ := strings.Cut(line, "=")
		m[name] = value
	}
	return m
}

func printFindings(findings []Finding) string {
	var b strings.Builder
	for _, f := range findings {
		place := "-"
		if f.Source != nil {
			r := f.Ranges[0]
			place = fmt.Sprintf("%d:%d-%d:%d", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character)
		}
		// Why and the ways out are package route's words.
		message, _, _ := strings.Cut(f.Message, " is fetched in clear text: ")
		fmt.Fprintf(&b, "%s %s %s %s\n", place, f.Severity, f.Rule, message)
	}
	return b.String()
}

func TestUntouchedIsTheSameDefinition(t *testing.T) {
	guarded := guardPass(t, route.Config{})
	unguarded := newPass(t, route.Config{})
	for dockerfile, p := range map[string]*Pass{
		"FROM scratch\n": guarded,
		"FROM debian\nRUN apt-get update && apt-get install -y curl\n":                                                        unguarded,
		"FROM debian\nRUN apt-get clean && curl -fsSL https://example.org/x -o /x\n":                                          guarded,
		"FROM debian\nRUN --network=none apt-get update\n":                                                                    guarded,
		"FROM --platform=windows/amd64 mcr.example.org/w\nRUN apt-get update\n":                                               guarded,
		"FROM debian\nRUN curl https://example.org/x | sh\nADD https://example.org/x /x\n":                                    unguarded,
		"FROM debian\nRUN curl http://localhost:8080/health\n":                                                                guarded,
		"FROM debian\nENV http_proxy=http://proxy.example.org:3128\nRUN make\n":                                               unguarded,
		"FROM debian\nRUN <<EOF\n#!/usr/bin/python3\nprint('hello')\nEOF\n":                                                   unguarded,
		"FROM debian\nCOPY --from=golang /usr/local/go /go\nRUN --mount=type=cache,target=/c --mount=type=secret,id=s true\n": guarded,
	} {
		in := mustConvert(t, dockerfile)
		out, findings := mustRun(t, p, in)
		if out != in || len(findings) > 0 {
			t.Errorf("%s\nchanged:\n%sfindings:\n%s", dockerfile, dumpChanged(t, in, out), printFindings(findings))
		}
	}
}

// TestBuildKitsFiles runs the laws over the files of BuildKit's own parser tests.
func TestBuildKitsFiles(t *testing.T) {
	converted := 0
	for name, dockerfile := range buildKitsFiles(t) {
		in, err := convert(t.Context(), dockerfile, base{}, nil)
		if err != nil {
			continue // BuildKit refuses it
		}
		converted++
		t.Run(name, func(t *testing.T) {
			checkLaws(t, newPass(t, route.Config{}), in)
			checkLaws(t, guardPass(t, route.Config{}), in)
			checkOnlyFetchesDiffer(t, in)
		})
	}
	if converted < 20 {
		t.Errorf("BuildKit converted only %d files", converted)
	}
}

// checkOnlyFetchesDiffer checks that a definition whose text has no address in
// clear text is not touched.
func checkOnlyFetchesDiffer(t *testing.T, in *pb.Definition) {
	t.Helper()
	out, _ := mustRun(t, newPass(t, route.Config{}), in)
	if all := strings.Join(dump(t, in), ""); out != in && !strings.Contains(all, "http://") && !strings.Contains(all, "hkp") && !strings.Contains(all, "keyserver") {
		t.Errorf("nothing to move, but the pass changed:\n%s", dumpChanged(t, in, out))
	}
}

func TestProtectedOpsStay(t *testing.T) {
	in := mustConvert(t, "FROM debian AS a\nRUN curl -O http://example.org/x\nADD http://example.org/y /y\n")
	p := newPass(t, route.Config{})
	other := map[string]bool{}
	for _, raw := range in.Def {
		other[digest.FromBytes(raw).String()] = true
	}
	p.Protected = func(dgst string) bool { return other[dgst] }
	if out, findings := mustRun(t, p, in); out != in || len(findings) > 0 {
		t.Errorf("changed:\n%s%s", dumpChanged(t, in, out), printFindings(findings))
	}
}

// TestProtectedInputKeepsItsDigest builds on another build's op: only ours
// changes.
func TestProtectedInputKeepsItsDigest(t *testing.T) {
	theirs := mustConvert(t, "FROM debian\nRUN curl -O http://example.org/x\n")
	both := mustConvert(t, "FROM debian\nRUN curl -O http://example.org/x\nRUN curl -O http://example.org/y\n")
	other := map[string]bool{}
	for _, raw := range theirs.Def[:len(theirs.Def)-1] {
		other[digest.FromBytes(raw).String()] = true
	}
	p := newPass(t, route.Config{})
	p.Protected = func(dgst string) bool { return other[dgst] }
	out, _ := mustRun(t, p, both)
	kept := 0
	for _, raw := range out.Def {
		if other[digest.FromBytes(raw).String()] {
			kept++
		}
	}
	if kept != len(other) {
		t.Errorf("%d of %d ops of the other build are left", kept, len(other))
	}
	if got := dumpChanged(t, both, out); !strings.Contains(got, "https://example.org/y") || strings.Contains(got, "https://example.org/x") {
		t.Errorf("changed:\n%s", got)
	}
	checkLaws(t, p, both)
}

// TestEqualOpsBecomeOne moves a fetch onto one that is TLS already.
func TestEqualOpsBecomeOne(t *testing.T) {
	in := mustConvert(t, "FROM debian\nADD http://example.org/x https://example.org/x /dst/\nADD http://example.org/x /one\nADD https://example.org/x /two\n")
	p := newPass(t, route.Config{})
	checkLaws(t, p, in)
	out, _ := mustRun(t, p, in)
	sources := 0
	for _, s := range dump(t, out) {
		if strings.Contains(s, "source http") {
			sources++
		}
	}
	// The names of vertices are metadata: equal sources are one op.
	if sources != 1 {
		t.Errorf("%d http sources are left:\n%s", sources, strings.Join(dump(t, out), ""))
	}
}

// TestLocationsFollow checks that each location still stands at an op of the
// same kind, in the same number.
func TestLocationsFollow(t *testing.T) {
	in := mustConvert(t, "FROM debian\nRUN curl -O http://example.org/x\nADD http://example.org/y /y\nRUN make\n")
	out, _ := mustRun(t, newPass(t, route.Config{}), in)
	if diff := cmp.Diff(placed(t, in), placed(t, out)); diff != "" {
		t.Errorf("locations by vertex name (-before +after):\n%s", diff)
	}
	if len(out.Source.Infos) != len(in.Source.Infos) || !proto.Equal(in.Source.Infos[0], out.Source.Infos[0]) {
		t.Error("the source infos changed")
	}
}

// placed maps the name of each vertex to the lines it was made from.
func placed(t *testing.T, def *pb.Definition) map[string]string {
	m := map[string]string{}
	for dgst, locs := range def.Source.Locations {
		name := stockName(def.Metadata[dgst].GetDescription()[customName])
		for _, l := range locs.Locations {
			for _, r := range l.Ranges {
				m[name] += fmt.Sprint(r.Start.Line, "-", r.End.Line, " ")
			}
		}
	}
	return m
}

func TestRulesAreKnown(t *testing.T) {
	severities := map[string]rewrite.Severity{}
	for _, r := range rewrite.Rules() {
		severities[r.Name] = r.Severity
	}
	want := map[string]rewrite.Severity{
		ClearTextRefused:   rewrite.Blocker,
		notEdited:          rewrite.Warning,
		addWithoutChecksum: rewrite.Warning,
		aptUnguarded:       rewrite.Blocker,
		aptMayBeUnguarded:  rewrite.Warning,
		guardTampering:     rewrite.Blocker,
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if severities[name] != want[name] {
			t.Errorf("rule %s is %q in package rewrite, want %q", name, severities[name], want[name])
		}
	}
}

func TestInvalidDefinition(t *testing.T) {
	if _, _, err := newPass(t, route.Config{}).Run(t.Context(), &pb.Definition{Def: [][]byte{{0xff}}}); err == nil {
		t.Error("no error")
	}
	if def, _, err := newPass(t, route.Config{}).Run(t.Context(), nil); def != nil || err != nil {
		t.Errorf("nil gives %v, %v", def, err)
	}
}

func buildKitsFiles(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(buildKitDir(t), "frontend/dockerfile/parser/testfiles/*/Dockerfile"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no parser testfiles: %v", err)
	}
	all := map[string]string{}
	for _, f := range files {
		dt, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(filepath.Dir(f))] = string(dt)
	}
	return all
}

func FuzzPass(f *testing.F) {
	for _, dockerfile := range buildKitsFiles(f) {
		f.Add(dockerfile)
	}
	goldens, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range goldens {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range a.Files {
			if s.Name == "Dockerfile" {
				f.Add(string(s.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, dockerfile string) {
		if strings.Contains(dockerfile, "git@") || strings.Contains(dockerfile, "ssh:") {
			return // BuildKit asks the server for its key
		}
		in, err := convert(t.Context(), dockerfile, base{env: []string{"MIRROR=http://example.org/m"}}, map[string]string{"U": "http://example.org/u"})
		if err != nil {
			return
		}
		checkLaws(t, newPass(t, route.Config{}), in)
		p := guardPass(t, route.Config{})
		p.Operator = []byte("{}")
		checkLaws(t, p, in)
		checkOthersStay(t, p, in)
		p.Apt, p.RecursiveStubs = AptAll, false
		checkLaws(t, p, in)
	})
}

// buildKitDir is the folder of BuildKit's module.
func buildKitDir(t testing.TB) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/moby/buildkit").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestTextThatCannotBeEdited: a fetch stays where its text can't be edited, and
// is reported; other texts of the RUN are edited all the same.
func TestTextThatCannotBeEdited(t *testing.T) {
	up := func(arg int, edits ...textmap.Edit) words.Fetch {
		return words.Fetch{
			URL: "http://user:secret@example.org/x", Arg: arg, Var: "NOSUCH", Tool: "curl", Edits: edits,
			Decision: route.Decision{Action: route.Upgrade, To: "https://user:secret@example.org/x"},
		}
	}
	for name, tc := range map[string]struct {
		fetch words.Fetch
		moved bool
	}{
		"editable":        {up(2, textmap.Edit{Start: 9, End: 9, New: "s"}), true},
		"no edits":        {func() words.Fetch { f := up(2); f.Unedited = "it is a riddle"; return f }(), false},
		"overlap":         {up(2, textmap.Edit{Start: 4, End: 9, New: "a"}, textmap.Edit{Start: 5, End: 7, New: "b"}), false},
		"out of bounds":   {up(2, textmap.Edit{Start: 400, End: 401, New: "a"}), false},
		"no such word":    {up(7, textmap.Edit{Start: 0, End: 0, New: "s"}), false},
		"no such script":  {up(words.ScriptArg, textmap.Edit{Start: 0, End: 0, New: "s"}), false},
		"no such varable": {up(words.VarArg, textmap.Edit{Start: 0, End: 0, New: "s"}), false},
	} {
		t.Run(name, func(t *testing.T) {
			in := mustConvert(t, "FROM debian\nRUN curl http://user:secret@example.org/x\n")
			p := newPass(t, route.Config{})
			p.Analyse = func(words.Input, *route.Table) words.Result { return words.Result{Fetches: []words.Fetch{tc.fetch}} }
			out, findings := mustRun(t, p, in)
			if (out != in) != tc.moved {
				t.Errorf("changed:\n%s", dumpChanged(t, in, out))
			}
			text := printFindings(findings)
			if strings.Contains(text, "secret") {
				t.Errorf("a password is shown: %s", text)
			}
			if reported := strings.HasPrefix(text, "2:9-2:41 warning NotEdited"); reported == tc.moved {
				t.Errorf("findings: %s", text)
			}
		})
	}
}

// BenchmarkPass runs the pass over BuildKit's own files; BenchmarkConvert, what
// BuildKit does before it, is the measure beside it.
func BenchmarkPass(b *testing.B) {
	p := newPass(b, route.Config{})
	defs := benchmarkDefinitions(b, buildKitsFiles(b))
	for b.Loop() {
		for _, def := range defs {
			if _, _, err := p.Run(b.Context(), def); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkConvert(b *testing.B) {
	files := buildKitsFiles(b)
	for b.Loop() {
		benchmarkDefinitions(b, files)
	}
}

func benchmarkDefinitions(b *testing.B, files map[string]string) []*pb.Definition {
	b.Helper()
	var defs []*pb.Definition
	for _, dockerfile := range files {
		if def, err := convert(b.Context(), dockerfile, base{}, nil); err == nil {
			defs = append(defs, def)
		}
	}
	return defs
}
