package rewrite

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/command"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerui"
	"github.com/moby/buildkit/solver/pb"
	"github.com/moby/buildkit/util/apicaps"
	digest "github.com/opencontainers/go-digest"
	ocispecs "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// anyImage answers for every base image with an empty Linux one.
type anyImage struct{}

func (anyImage) ResolveImageConfig(_ context.Context, ref string, _ sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	dt, err := json.Marshal(ocispecs.Image{
		Platform: ocispecs.Platform{OS: "linux", Architecture: "amd64"},
		RootFS:   ocispecs.RootFS{Type: "layers", DiffIDs: []digest.Digest{digest.FromString("layer")}},
	})
	return ref, "", dt, err
}

var allCaps = sync.OnceValue(func() *apicaps.CapSet {
	caps := pb.Caps.CapSet(pb.Caps.All())
	return &caps
})

// convert is BuildKit's own conversion of the file.
func convert(ctx context.Context, src []byte, args map[string]string) (*llb.Definition, error) {
	res, err := dockerfile2llb.Dockerfile2LLB(ctx, src, dockerfile2llb.ConvertOpt{
		Config:         dockerui.Config{BuildArgs: args},
		TargetPlatform: &ocispecs.Platform{OS: "linux", Architecture: "amd64"},
		MetaResolver:   anyImage{},
		LLBCaps:        allCaps(),
	})
	if err != nil {
		return nil, err
	}
	return res.State.Marshal(ctx, llb.LinuxAmd64)
}

// execOps returns the exec ops of a definition in its order, and the contents
// of the files that it makes.
func execOps(t *testing.T, def *llb.Definition) (ops []*pb.ExecOp, files []string) {
	t.Helper()
	for _, dt := range def.Def {
		var op pb.Op
		if err := op.UnmarshalVT(dt); err != nil {
			t.Fatal(err)
		}
		if e := op.GetExec(); e != nil {
			ops = append(ops, e)
		}
		for _, a := range op.GetFile().GetActions() {
			if m := a.GetMkfile(); m != nil {
				files = append(files, string(m.Data))
			}
		}
	}
	return ops, files
}

// commandsOf returns the commands that a plan analyses.
func commandsOf(t *testing.T, src []byte, args map[string]string) []words.Input {
	t.Helper()
	var out []words.Input
	_, err := plan(src, Config{BuildArgs: args}, func(in words.Input, _ *route.Table) words.Result {
		out = append(out, in)
		return words.Result{}
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func argvOf(in words.Input) []string {
	out := make([]string, len(in.Args))
	for i, a := range in.Args {
		out[i] = a.String()
	}
	return out
}

// checkArgv checks the law that a RUN is read here as BuildKit executes it:
// the same argv in the same order, the same script behind it, and no variable
// with another value; what a text lends to it is not the author's.
func checkArgv(t *testing.T, src []byte, args map[string]string, def *llb.Definition) {
	t.Helper()
	ops, files := execOps(t, def)
	cmds := commandsOf(t, src, args)
	next := 0
	for _, op := range ops {
		n := slices.IndexFunc(cmds[next:], func(c words.Input) bool {
			script := c.Script.String()
			return slices.Equal(argvOf(c), authors(op)) && sameEnv(c, op.Meta.Env) &&
				(script == "" || slices.ContainsFunc(files, func(f string) bool { return f == script || authorsScript(f) == script }))
		})
		if n < 0 {
			t.Fatalf("no RUN was read as %q with %q\nread: %q", op.Meta.Args, op.Meta.Env, cmds[next:])
		}
		next += n
		next++
	}
	if onlyRuns(t, src) && next != len(ops) {
		t.Errorf("%d RUNs were read, BuildKit has %d", next, len(ops))
	}
}

// authors is the argv of an exec op without what the text lends to it.
func authors(op *pb.ExecOp) []string {
	args := op.Meta.Args
	if !slices.ContainsFunc(op.Mounts, func(m *pb.Mount) bool { return m.Dest == LentDir && strings.HasPrefix(m.Selector, "/loopx/") }) {
		return args
	}
	last := len(args) - 1
	if len(args) > 4 && args[3] == argvName && strings.HasSuffix(args[2], execute) {
		return args[4:]
	}
	return append(slices.Clone(args[:last]), strings.TrimPrefix(args[last], lineOfOurs.FindString(args[last])))
}

// authorsScript is a script without the same.
func authorsScript(text string) string {
	i := strings.IndexByte(text, '\n') + 1
	return text[:i] + strings.TrimPrefix(text[i:], lineOfOurs.FindString(text[i:]))
}

// onlyRuns reports whether a file has one stage, and no files of COPY and ADD
// that may be read as scripts: then each command is a RUN that BuildKit has.
func onlyRuns(t *testing.T, src []byte) bool {
	t.Helper()
	file, err := parse(newSource(string(src)))
	if err != nil {
		t.Fatal(err)
	}
	stages := 0
	for _, in := range file.list {
		if in.is(command.From) {
			stages++
		} else if !in.is(command.Run) && len(in.node.Heredocs) > 0 {
			return false
		}
	}
	return stages == 1
}

// sameEnv reports whether each variable that is known has the exec op's value.
// A value that holds one that isn't known is not compared.
func sameEnv(cmd words.Input, env []string) bool {
	for _, v := range cmd.Env {
		value := v.Value.String()
		if !strings.Contains(value, "${") && !slices.Contains(env, v.Name+"="+value) {
			return false
		}
	}
	return true
}

func TestArgvIsBuildKits(t *testing.T) {
	converted := 0
	for _, f := range corpus(t) {
		t.Run(f.name, func(t *testing.T) {
			// Some need a file, or break a rule that the parser doesn't check.
			if def, err := convert(t.Context(), f.text, nil); err == nil {
				converted++
				checkArgv(t, f.text, nil, def)
			}
		})
	}
	if converted < 20 {
		t.Errorf("only %d files of the corpus were converted", converted)
	}
	for _, row := range argvRows {
		t.Run(row.name, func(t *testing.T) {
			def, err := convert(t.Context(), []byte(row.src), row.args)
			if err != nil {
				t.Fatal(err)
			}
			checkArgv(t, []byte(row.src), row.args, def)
		})
	}
}

// FuzzArgv checks the same law for any file that BuildKit can convert.
func FuzzArgv(f *testing.F) {
	for _, file := range corpus(f) {
		f.Add(file.text)
	}
	for _, row := range argvRows {
		f.Add([]byte(row.src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if buildkitError(src) != "" {
			return
		}
		if def, err := convert(t.Context(), src, nil); err == nil {
			checkArgv(t, src, nil, def)
		}
	})
}

// argvRows are the forms of RUN, of its environment and of the shell.
var argvRows = []struct {
	name, src string
	args      map[string]string
}{
	{name: "shell form", src: "FROM a\nRUN curl  http://h | sh\n"},
	{name: "exec form", src: "FROM a\nRUN [ \"wget\" , \"http:\\/\\/h\\u002fx\", \"\\ud83d\\ude00\" ]\n"},
	{name: "exec form with flags", src: "FROM a\nRUN --network=none --mount=type=tmpfs,target=/[x] [\"a\"]\n"},
	{name: "no JSON after all", src: "FROM a\nRUN ['a', \"b\"]\n"},
	{name: "flags", src: "FROM a\nRUN --network=none --mount=type=cache,target=/c -- curl x\n"},
	{name: "empty", src: "FROM a\nRUN\n"},
	{name: "continued", src: "FROM a\nRUN a \\\n# c\n\n  b\\ \nc \\\n"},
	{name: "backtick", src: "# escape=`\nFROM a\nSHELL [\"cmd\",\"/S\",\"/C\"]\nRUN a `\n b\\\nRUN c\n"},
	{name: "shells", src: "FROM a\nRUN x\nSHELL [\"/bin/bash\", \"-o\", \"pipefail\", \"-c\"]\nRUN y\nSHELL [\"\"]\nRUN z\n"},
	{name: "heredoc", src: "FROM a\nRUN <<EOF\na\n\tb\nEOF\n"},
	{name: "heredoc with a shell", src: "FROM a\nRUN <<EOF bash\na\nEOF\n"},
	{name: "heredoc, tabs dropped", src: "FROM a\nRUN <<-EOF\n\t\ta\n \tb\n\tEOF\nRUN <<-EOF cat\n\ta\n\tEOF\n"},
	{name: "heredoc, quoted", src: "FROM a\nRUN <<'EOF'\n$a \\\nb\nEOF\n"},
	{name: "heredocs", src: "FROM a\nRUN cat <<A && cat <<-\"B\" > /x\na\nA\n\tb\n\tB\nRUN c\n"},
	{name: "heredoc with a file descriptor", src: "FROM a\nRUN 3<<EOF\na\nEOF\nRUN x 3<<EOF\na\nEOF\n"},
	{name: "heredoc, CRLF", src: "FROM a\r\nRUN <<EOF\r\na\r\nEOF\r\nRUN b\r\n"},
	{name: "script", src: "FROM a\nRUN <<EOF\n#!/usr/bin/env python3\nprint(1)\nEOF\n"},
	{name: "script, tabs dropped", src: "FROM a\nRUN <<-EOF\n\t#!/bin/sh\n\techo\n\tEOF\n"},
	{name: "script with another shell set", src: "FROM a\nSHELL [\"/bin/bash\",\"-c\"]\nRUN <<x/y\n#!/bin/sh\nx/y\n"},
	{name: "exec form has no heredoc", src: "FROM a\nRUN [\"a\", \"<<EOF\"]\n"},
	{name: "stages inherit", src: "FROM a AS One\nSHELL [\"/bin/bash\",\"-c\"]\nENV A=1\nARG B=2\nRUN x\nFROM one\nRUN $A\n"},
	{name: "stages inherit ENV before ARG", src: "FROM a AS one\nENV A=1\nARG A=2\nRUN x\nFROM one\nRUN y\n"},
	{name: "stage named by a variable", src: "ARG S=one\nFROM a AS one\nENV A=1\nFROM $S\nRUN $A\n"},
	{name: "triggers", src: "FROM a AS one\nONBUILD RUN x\nONBUILD SHELL [\"/bin/bash\",\"-c\"]\nONBUILD RUN <<EOF\ny\nEOF\nENV Z=1\nFROM one\nRUN z\n"},
	{name: "triggers that are none", src: "FROM a\nONBUILD NOSUCH x\nONBUILD RUN --nosuch x\nRUN y\n"},
	{name: "ENV", src: "FROM a\nENV A=1 B=\"x y\" C='$A' D=a\\ b E=$A\nENV F=$B/${C} G=\"${A}\" $A=q\nRUN x\n"},
	{name: "ENV, legacy", src: "FROM a\nENV A  x \"y\" $HOME\nENV B $A z\nRUN x\n"},
	{name: "ENV, defaults", src: "FROM a\nENV A=1 E=\nENV B=${A:-x} C=${N:-x$A} D=${A:+y} F=${E:-z} G=${E-z}\nRUN x\n"},
	{name: "ENV, patterns", src: "FROM a\nENV A=http://h/x\nENV B=${A#http} C=${A%/x} D=${A/http/ftp} E=${A//\\//-}\nRUN x\n"},
	{name: "ENV, odd names", src: "FROM a\nENV A=$1x B=$@ C=a$ D=$ü E=$_x\nRUN x\n"},
	{name: "ENV with a backtick", src: "# escape=`\nFROM a\nENV A=C:\\x B=a` b C=\"q`\"q\"\nRUN x\n"},
	{name: "ARG", src: "ARG G=1\nARG H=$G/2\nFROM a\nARG G\nARG H\nARG I=$H J=$I K\nENV K=e\nARG K\nRUN x\n"},
	{name: "ARG after ENV", src: "FROM a\nENV A=1\nARG A=2\nRUN x\nENV A=3\nRUN y\n"},
	{name: "ARG, given", src: "ARG G=1\nFROM a\nARG G\nARG H=2\nARG I\nRUN x\n", args: map[string]string{"G": "g", "H": "h", "I": "i", "N": "n"}},
	{name: "ARG of the platform", src: "FROM a\nENV TARGETARCH=x\nARG TARGETARCH\nARG TARGETOS=y\nRUN x\n"},
	{name: "ARG, not declared in the stage", src: "ARG G=1\nFROM a\nENV A=$G\nRUN x\n"},
}
