package steps

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// find returns the steps of files as one line each; every name in plain is a file
// that is there.
func find(t *testing.T, plain string, files map[string]string) []string {
	t.Helper()
	fsys := fstest.MapFS{}
	for name := range strings.FieldsSeq(plain) {
		fsys[name] = &fstest.MapFile{Data: []byte("FROM a\n")}
	}
	for name, text := range files {
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			fsys[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
			continue
		}
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	var got []string
	for _, s := range Find(fsys, slices.Collect(maps.Keys(fsys))) {
		line := fmt.Sprintf("%s:%d %s", s.File, s.Line, s.Name)
		if s.Dockerfiles != nil {
			line += " = " + strings.Join(s.Dockerfiles, " ")
		}
		if s.Inline != nil {
			line += fmt.Sprintf(" inline %d %q", s.Inline.Line, s.Inline.Text)
		}
		if s.Why != "" {
			line += ": " + s.Why
		}
		got = append(got, line)
	}
	return got
}

func check(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCompose(t *testing.T) {
	t.Parallel()
	got := find(t, "Dockerfile web/Dockerfile web/prod.img dev/dockerfile other/x.img", map[string]string{
		"compose.yaml": `x-build: &build
  context: web
services:
  root: {build: .}
  named:
    build:
      <<: *build
      dockerfile: prod.img
  alias:
    build: *build
  lower: {build: ./dev}
  inline:
    build:
      dockerfile_inline: |
        FROM b
        RUN echo $$HOME
  variable: {build: {context: "${DIR:-web}"}}
  traversal: {build: {context: web, dockerfile: ../../etc/passwd}}
  absolute: {build: /srv}
  missing: {build: {context: web, dockerfile: none}}
  remote: {build: "https://github.com/a/b.git"}
  up: {build: {context: web, dockerfile: ../other/x.img}}
  cased: {build: {context: WEB, dockerfile: PROD.img}}
  none: {image: x}
  extended: {extends: {file: more/base, service: x}}
include: [missing.yaml]
`,
		"more/base":       "services: {x: {build: {context: .., dockerfile: other/x.img}}}",
		"k8s/svc.yml":     "kind: x\nservices: {a: {build: ../web}}\n",
		"notes.yml":       "services: [build]\n",
		"bad/compose.yml": "services: [\n",
	})
	check(t, got,
		"bad/compose.yml:0 : the file can't be read",
		"compose.yaml:1 alias = web/Dockerfile",
		"compose.yaml:4 root = Dockerfile",
		"compose.yaml:8 named = web/prod.img",
		"compose.yaml:11 lower = dev/dockerfile",
		`compose.yaml:14 inline inline 15 "FROM b\nRUN echo $HOME\n"`,
		"compose.yaml:17 variable: depends on a variable",
		"compose.yaml:18 traversal: is outside of the tree",
		"compose.yaml:19 absolute: is outside of the tree",
		"compose.yaml:20 missing: is not in the tree",
		"compose.yaml:21 remote: is in a repository or an archive elsewhere",
		"compose.yaml:22 up = other/x.img",
		"compose.yaml:23 cased = web/prod.img",
		"compose.yaml:26 include: the file that is named is not in the tree",
		"k8s/svc.yml:2 a = web/Dockerfile",
		"more/base:1 x = other/x.img",
	)
}

func TestBake(t *testing.T) {
	t.Parallel()
	got := find(t, "Dockerfile a/x.img a/Dockerfile b/Dockerfile c/y.img c/docker-bake.json", map[string]string{
		"docker-bake.hcl": `variable "DIR" { default = "a" }
group "default" { targets = ["one"] }
target "one" { context = "a" }
target "two" {
  inherits = ["one"]
  dockerfile = "x.img"
}
target "three" {
  dockerfile-inline = <<EOT
FROM b
RUN id
EOT
}
target "four" { context = "${DIR}" }
target "five" { dockerfile = DIR }
target "six" { dockerfile = "none" }
target "seven" { inherits = ["seven"] }
target "eight" { context = "../up" }
target "nine" { context = "https://github.com/a/b.git#main" }
target "ten" { dockerfile = "${"c"}/y.img" }
`,
		"c/docker-bake.json": `{"target": {"j": {"dockerfile": "y.img"}, "k": {"context": "${X}"}, "l": {"context": "b"}, "m": {"dockerfile-inline": "FROM x"}}}`,
		"d-bake.json":        `{"target": [{"a": [{"inherits": ["b"]}]}], "target": {"b": {"dockerfile-inline": "FROM x"}}}`,
		"infra/other.hcl":    `target "t" { dockerfile = "../a/x.img" } # docker`,
		"infra/main.hcl":     `resource "x" "y" {}`,
		"broken-bake.hcl":    `target "x" {`,
	})
	check(t, got,
		"broken-bake.hcl:0 : the file can't be read",
		"c/docker-bake.json:1 j = c/y.img",
		"c/docker-bake.json:1 k: depends on a variable",
		"c/docker-bake.json:1 l = b/Dockerfile",
		`c/docker-bake.json:1 m inline 0 "FROM x"`,
		`d-bake.json:1 a inline 0 "FROM x"`,
		`d-bake.json:1 b inline 0 "FROM x"`,
		"docker-bake.hcl:3 one = a/Dockerfile",
		"docker-bake.hcl:4 two = a/x.img",
		`docker-bake.hcl:8 three inline 10 "FROM b\nRUN id\n"`,
		"docker-bake.hcl:14 four: depends on a variable",
		"docker-bake.hcl:15 five: depends on a variable",
		"docker-bake.hcl:16 six: is not in the tree",
		"docker-bake.hcl:17 seven = Dockerfile",
		"docker-bake.hcl:18 eight: is outside of the tree",
		"docker-bake.hcl:19 nine: is in a repository or an archive elsewhere",
		"docker-bake.hcl:20 ten = c/y.img",
		"infra/other.hcl:1 t = a/x.img",
	)
}

func TestWorkflow(t *testing.T) {
	t.Parallel()
	got := find(t, "Dockerfile a/x.img a/Dockerfile sub/b/y.img sub/b/Dockerfile act/img z.img compose.any bake.any/none", map[string]string{
		".github/workflows/ci.yml": `on: push
jobs:
  build:
    steps:
      - uses: actions/checkout@v4
        with: {path: src}
      - uses: docker/build-push-action@v6
        with: {context: a}
      - uses: Docker/Build-Push-Action@0123
        with:
          context: a
          file: ./src/a/x.img
      - uses: docker/build-push-action@v6
        with: {file: "${{ matrix.file }}"}
      - uses: docker/build-push-action@v6
        with: {context: "${{ github.workspace }}/a"}
      - uses: docker/build-push-action@v6
        with: {context: "{{defaultContext}}:sub/b", file: y.img}
      - uses: docker/build-push-action@v6
      - run: |
          set -e
          sudo docker build -f a/x.img --tag x .
          docker buildx build --file="$GITHUB_WORKSPACE/z.img" .
          docker build -t x a
          docker build a -t x
          docker build -f "$FILE" .
          cd sub/b && docker build -f y.img ..
          docker build - <<'EOF'
          FROM scratch
          EOF
          cat x | docker build -
          podman build -f/etc/passwd .
          docker run --rm x build
          echo docker build -f none .
      - run: docker compose -f compose.any build
      - run: docker buildx bake -f missing.hcl
      - shell: pwsh
        run: docker build @(
`,
		"compose.any":      "services: {s: {build: {context: a, dockerfile: x.img}}}",
		"act/action.yml":   "runs: {using: docker, image: img}",
		"act2/action.yml":  "runs: {using: docker, image: 'docker://alpine'}",
		".gitlab-ci.yml":   "build:\n  script:\n    - docker build -f z.img .\n    - [x]\n",
		"other/config.yml": "run: docker build -f none .\n",
	})
	check(t, got,
		".github/workflows/ci.yml:7 docker/build-push-action@v6 = a/Dockerfile",
		".github/workflows/ci.yml:12 Docker/Build-Push-Action@0123 = a/x.img",
		".github/workflows/ci.yml:14 docker/build-push-action@v6: depends on a variable",
		".github/workflows/ci.yml:15 docker/build-push-action@v6 = a/Dockerfile",
		".github/workflows/ci.yml:18 docker/build-push-action@v6 = sub/b/y.img",
		".github/workflows/ci.yml:19 docker/build-push-action@v6 = Dockerfile",
		".github/workflows/ci.yml:22 docker build = a/x.img",
		".github/workflows/ci.yml:23 docker build = z.img",
		".github/workflows/ci.yml:24 docker build = a/Dockerfile",
		".github/workflows/ci.yml:25 docker build = a/Dockerfile",
		".github/workflows/ci.yml:26 docker build: depends on a variable",
		".github/workflows/ci.yml:27 docker build = sub/b/y.img",
		`.github/workflows/ci.yml:29 heredoc inline 29 "FROM scratch\n"`,
		".github/workflows/ci.yml:31 docker build: is read from standard input",
		".github/workflows/ci.yml:32 podman build: is outside of the tree",
		".github/workflows/ci.yml:36 docker bake: the file that is named is not in the tree",
		".github/workflows/ci.yml:38 commands: the shell's text can't be read",
		".gitlab-ci.yml:3 docker build = z.img",
		"act/action.yml:1 container action = act/img",
		"compose.any:1 s = a/x.img",
	)
}

// TestDocuments holds that every document of a file counts: compose merges them, and
// GitLab has a header in front of the pipeline.
func TestDocuments(t *testing.T) {
	t.Parallel()
	got := find(t, "z.img", map[string]string{
		"compose.yaml":       "services: {}\n---\nservices: {a: {build: {dockerfile: z.img}}}\n",
		"bad/compose.yaml":   "services: {}\n---\nservices: [\n",
		"empty/compose.yaml": "# nothing\n", "twice/compose.yaml": "services: {a: {build: z.img, build: {dockerfile_inline: FROM x}}}\n",
		"stack.yml":      "\xfe\xff\x00s\x00e\x00r\x00v\x00i\x00c\x00e\x00s\x00:\x00 \x00{\x00a\x00:\x00 \x00{\x00b\x00u\x00i\x00l\x00d\x00:\x00 \x00q\x00}\x00}",
		".gitlab-ci.yml": "spec: {inputs: {}}\n---\ninclude: {local: /ci/all.any}\na:\n  script:\n    - [[docker build -f z.img .]]\n",
		"ci/all.any":     "include: [more.any, {local: lost.any}, {remote: 'https://example.com/x.yml'}]\nb: {script: docker build -f none .}\n",
		"more.any":       "c: {script: docker build -f none .}\n",
	})
	check(t, got,
		".gitlab-ci.yml:6 docker build = z.img",
		"bad/compose.yaml:0 : the file can't be read",
		"ci/all.any:2 docker build: is not in the tree",
		"compose.yaml:3 a = z.img",
		"empty/compose.yaml:0 : the file can't be read",
		"more.any:1 docker build: is not in the tree",
		"stack.yml:1 a: is not in the tree",
		"twice/compose.yaml:0 : the file can't be read",
	)
}

// TestHeredoc holds that a Dockerfile in a heredoc is one whatever becomes of it,
// with the text that the shell makes of it.
func TestHeredoc(t *testing.T) {
	t.Parallel()
	got := find(t, "Dockerfile", map[string]string{
		".gitea/workflows/ci.yml": `steps:
  - run: |
      cat >Dockerfile <<'EOF'
      FROM a
      RUN b \
        $C
      EOF
      docker build .
  - run: |
      docker build -qf- . <<EOF
      FROM a:$V
      RUN b \$C
      EOF
  - run: |
      docker build - <<EOF
      $ALL
      EOF
  - run: |
      if true; then
        cat <<-EOF | tee x
      	FROM a
      	EOF
      fi
  - run: |
      cat <<EOF
      FROM time to time
      EOF
  - run: "docker build - <<'E'\nFOO\nE\n"
`,
	})
	check(t, got,
		`.gitea/workflows/ci.yml:4 heredoc inline 4 "FROM a\nRUN b \\\n  $C\n"`,
		".gitea/workflows/ci.yml:8 docker build = Dockerfile",
		".gitea/workflows/ci.yml:10 docker build = Dockerfile",
		`.gitea/workflows/ci.yml:11 heredoc inline 11 "FROM a:$V\nRUN b $C\n"`,
		".gitea/workflows/ci.yml:15 docker build: is read from standard input",
		`.gitea/workflows/ci.yml:21 heredoc inline 21 "FROM a\n"`,
		`.gitea/workflows/ci.yml:28 docker build inline 0 "FOO\n"`,
	)
}

// TestSpellings holds that a build is one however it is started.
func TestSpellings(t *testing.T) {
	t.Parallel()
	got := find(t, "z.img y.img", map[string]string{
		".github/workflows/ci.yml": `steps:
  - run: bash -euc 'docker build -f z.img .'
  - run: sudo sh -c "docker build -f none ."
  - run: eval docker build -f z.img .
  - run: docker buildx b -f z.img .
  - run: docker-buildx f -f none.hcl
  - run: docker.exe build -f z.img .
  - uses: a/b@v1
    with: {dockerfile: y.img, Docker_File_Path: x, dockerfiles: "none"}
`,
		".buildkite/p.yml": "steps: [{commands: [docker build -f z.img .]}]\n",
		"cloudbuild.yaml": `steps:
  - name: gcr.io/cloud-builders/docker:latest
    args: [build, -f, z.img, .]
  - {name: x, entrypoint: bash, dir: d, args: [-c, docker build -f none .]}
  - {name: gcr.io/cloud-builders/git, args: [build]}
`,
	})
	check(t, got,
		".buildkite/p.yml:1 docker build = z.img",
		".github/workflows/ci.yml:2 docker build = z.img",
		".github/workflows/ci.yml:3 docker build: is not in the tree",
		".github/workflows/ci.yml:4 docker build = z.img",
		".github/workflows/ci.yml:5 docker b = z.img",
		".github/workflows/ci.yml:6 docker-buildx f: the file that is named is not in the tree",
		".github/workflows/ci.yml:7 docker.exe build = z.img",
		".github/workflows/ci.yml:9 dockerfile = y.img",
		"cloudbuild.yaml:3 docker build = z.img",
		"cloudbuild.yaml:4 docker build: is not in the tree",
	)
}

// TestHostile holds that no file of builds takes the program down, or long.
func TestHostile(t *testing.T) {
	t.Parallel()
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 {run: docker build -f x .}\n")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&bomb, "a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	deep := func(s string) string { return strings.Repeat(s, maxHCL/len(s)-100) }
	got := find(t, "", map[string]string{
		".github/workflows/bomb.yml": bomb.String(),
		"compose.yaml":               "services: &s\n  <<: *s\n  a: {build: x}\n",
		"compose2.yaml":              "x: &x {<<: [*x]}\nservices: {a: *x}\n",
		"1-bake.hcl":                 "target \"x\" {\n dockerfile = " + deep("(") + "\n}",
		"2-bake.hcl":                 "target \"x\" {\n dockerfile = " + deep("!") + "\n}",
		"3-bake.hcl":                 "target \"x\" {\n dockerfile = " + deep(`"${`) + "\n}",
		"4-bake.hcl":                 deep("target \"x\" {\n"),
		"5-bake.hcl":                 strings.Repeat(" ", maxHCL+1),
		"6-bake.json":                `{"target": {"x": {"dockerfile": "${` + strings.Repeat("(", MaxFile-100) + `}"}}}`,
		"7-bake.json":                strings.Repeat("[", MaxFile/4) + strings.Repeat("]", MaxFile/4),
		"8-bake.json":                `{"target": {"x": {"dockerfile": "${` + deep("(") + `}"}}}`,
		".github/workflows/sh.yml":   "run: 'docker build " + strings.Repeat("$(", 10_000) + "'\n",
		"large-compose.yaml":         strings.Repeat("#", MaxFile+1),
		"link-compose.yaml":          "-> ../../etc/passwd",
	})
	check(t, got,
		".github/workflows/bomb.yml:0 : has too many values",
		".github/workflows/bomb.yml:1 docker build: is not in the tree",
		".github/workflows/sh.yml:1 commands: the shell's text can't be read",
		"1-bake.hcl:0 : the file can't be read",
		"2-bake.hcl:0 : the file can't be read",
		"3-bake.hcl:0 : the file can't be read",
		"4-bake.hcl:0 : the file can't be read",
		"5-bake.hcl:0 : is larger than 32 KiB",
		"6-bake.json:0 : is larger than 32 KiB",
		"7-bake.json:0 : the file can't be read",
		"8-bake.json:1 x: depends on a variable",
		"compose.yaml:0 : has too many values",
		"compose2.yaml:0 : has too many values",
		"large-compose.yaml:0 : the file has more than 1048576 bytes",
		"link-compose.yaml:0 : the file leads out of the folder that is read",
	)
}
