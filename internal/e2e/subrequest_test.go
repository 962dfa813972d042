package e2e

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/internal/testbed"
)

// TestCallsAnswerAsStock compares what is printed for --call, byte for byte, in
// both formats, where we have nothing to say.
func TestCallsAnswerAsStock(t *testing.T) {
	stock, ours := testbed.StockImage(t), testbed.FrontendImage(t)
	dockerfiles := map[string]string{
		"clean": `# Which release.
ARG RELEASE=1
# The tools.
FROM scratch AS tools
# Where from.
ARG FROM=here
COPY . /
FROM tools AS app
ARG RELEASE
LABEL release=$RELEASE
RUN --mount=type=secret,id=token,required --mount=type=ssh true
`,
		"stock finding": "FROM scratch AS one\nfrom one AS two\nMAINTAINER me\nCOPY . $NOWHERE\n",
		"parse error":   "FROM scratch\nRUNN true\n",
		"moved":         "FROM scratch AS moved\nRUN curl -O http://downloads.example.org/x\n",
	}
	for name, dockerfile := range dockerfiles {
		for _, call := range []string{"check", "outline", "targets"} {
			for _, format := range []string{"", ",format=json"} {
				t.Run(name+" "+call+format, func(t *testing.T) {
					t.Parallel()
					c := callOf(t, dockerfile)
					want := c.buildx(t, "build", by(stock), "--call="+call+format, ".")
					got := c.buildx(t, "build", by(ours), "--call="+call+format, ".")
					checkEqual(t, "exit code", want.Code, got.Code)
					checkEqual(t, "stdout", answer(t, want.Stdout), answer(t, got.Stdout))
					if want.Code != 0 {
						checkEqual(t, "error", lastLine(want.Stderr), lastLine(got.Stderr))
					}
				})
			}
		}
	}
}

func callOf(t *testing.T, dockerfile string) call {
	t.Helper()
	return call{dir: folder(t, map[string]string{"Dockerfile": dockerfile})}
}

// answer is what was printed, without the definition by which the Dockerfile
// was loaded: it holds the id of the client's session.
func answer(t *testing.T, stdout string) string {
	t.Helper()
	return regexp.MustCompile(`(?s)"definition": \{.*?\n      \},`).ReplaceAllString(stdout, "")
}

// lastLine is the last line of a log, without the number of its step: we have one
// step more, the look for a loopx.yaml.
func lastLine(s string) string {
	s = strings.TrimRight(s, "\n")
	return regexp.MustCompile(`^#\d+ `).ReplaceAllString(s[strings.LastIndexByte(s, '\n')+1:], "")
}

const found = `FROM scratch
COPY . /
ADD http://downloads.example.org/x /x
from scratch
ADD --checksum=sha256:24454f830cdb571e2c4ad15481119c43b3cafd48dd869a9b2945d1036d1dc68d \
    http://downloads.example.org:8080/y /y
`

const rules = "https://github.com/loopx/loopx-frontend/blob/main/docs/rules.md#"

// TestCheckShowsOurFindings: our rules stand beside the stock ones, each with
// its line and page, and make the check fail.
func TestCheckShowsOurFindings(t *testing.T) {
	t.Parallel()
	c := callOf(t, syntax(testbed.FrontendImage(t), found))
	got := c.buildx(t, "build", "--check", ".")
	checkEqual(t, "exit code", 1, got.Code)
	checkContains(t, got.Stdout,
		"Check complete, 3 warnings have been found!",
		"WARNING: AddWithoutChecksum - "+rules+"addwithoutchecksum\n",
		"   4 | >>> ADD http://downloads.example.org/x /x\n",
		"WARNING: ConsistentInstructionCasing - ",
		"   5 | >>> from scratch\n",
		"WARNING: ClearTextRefused - "+rules+"cleartextrefused\n",
		"LOOPX_HOSTS=downloads.example.org:8080=upgrade",
		"   7 | >>>     http://downloads.example.org:8080/y /y\n")

	got = c.buildx(t, "build", "--call=check,format=json", ".")
	checkEqual(t, "exit code with JSON", 1, got.Code)
	checkEqual(t, "findings in JSON", []string{
		"AddWithoutChecksum 4 " + rules + "addwithoutchecksum",
		"ClearTextRefused 7 " + rules + "cleartextrefused",
		"ConsistentInstructionCasing 5 https://docs.docker.com/go/dockerfile/rule/consistent-instruction-casing/",
	}, findings(t, got.Stdout))
}

// TestChecksOffIsStocksCheck: LOOPX_CHECKS=off gives the stock answer.
func TestChecksOffIsStocksCheck(t *testing.T) {
	t.Parallel()
	c := callOf(t, found)
	want := c.buildx(t, "build", by(testbed.StockImage(t)), "--call=check,format=json", ".")
	got := c.buildx(t, "build", by(testbed.FrontendImage(t)), "--build-arg=LOOPX_CHECKS=off", "--call=check,format=json", ".")
	checkEqual(t, "exit code", want.Code, got.Code)
	checkEqual(t, "stdout", answer(t, want.Stdout), answer(t, got.Stdout))
	if n := len(findings(t, want.Stdout)); n != 1 {
		t.Errorf("the stock image has %d findings", n)
	}
}

// findings are the warnings of a lint answer as "rule line page", sorted.
func findings(t *testing.T, stdout string) []string {
	t.Helper()
	var results struct {
		Warnings []struct {
			RuleName, URL string
			Location      struct {
				Ranges []struct{ Start struct{ Line json.Number } }
			}
		}
	}
	if err := json.Unmarshal([]byte(stdout), &results); err != nil {
		t.Fatalf("%v\n%s", err, stdout)
	}
	var list []string
	for _, w := range results.Warnings {
		line := "-"
		if len(w.Location.Ranges) > 0 {
			line = w.Location.Ranges[0].Start.Line.String()
		}
		list = append(list, strings.Join([]string{w.RuleName, line, w.URL}, " "))
	}
	slices.Sort(list)
	return list
}

// TestBuildShowsOurFindings: a build warns of what the check finds, and
// "check=error=true" makes the warning fail it, as with the stock rules.
func TestBuildShowsOurFindings(t *testing.T) {
	t.Parallel()
	h := newHost(t, testbed.MirrorOptions{})
	ours := testbed.FrontendImage(t)
	dockerfile := h.expand("FROM scratch\nADD http://HOST/add /add\n")
	log := callOf(t, dockerfile).build(t, "build", by(ours), "--no-cache", ".")
	checkContains(t, log, h.expand("1 warning found"), h.expand("AddWithoutChecksum: add --checksum=sha256:… for https://HOST/add: BuildKit follows a redirect back to http (line 2)"))
	h.checkOverTLS(t, "/add")

	log = callOf(t, "# check=error=true\n"+dockerfile).fails(t, "build", by(ours), "--no-cache", ".")
	checkContains(t, log, "lint violation found for rules: AddWithoutChecksum")
	checkEqual(t, "over TLS", nil, h.overTLS())

	log = callOf(t, "# check=skip=AddWithoutChecksum\n"+dockerfile).build(t, "build", by(ours), "--no-cache", ".")
	if strings.Contains(log, "AddWithoutChecksum:") {
		t.Errorf("a skipped rule warns:\n%s", log)
	}
}

// TestOutlineShowsTheUsersFile: positions and text are those of the file that
// the user wrote, with its syntax line.
func TestOutlineShowsTheUsersFile(t *testing.T) {
	t.Parallel()
	dockerfile := syntax(testbed.FrontendImage(t), "FROM scratch\nADD http://downloads.example.org/x /x\nARG LATE=1\n")
	got := callOf(t, dockerfile).buildx(t, "build", "--call=outline,format=json", ".")
	var outline struct {
		Args []struct {
			Name     string
			Location struct {
				Ranges []struct{ Start struct{ Line int } }
			}
		}
		Sources [][]byte
	}
	if err := json.Unmarshal([]byte(got.Stdout), &outline); err != nil {
		t.Fatalf("%v\n%s%s", err, got.Stdout, got.Stderr)
	}
	if len(outline.Args) != 1 || outline.Args[0].Name != "LATE" || outline.Args[0].Location.Ranges[0].Start.Line != 4 {
		t.Errorf("arguments: %+v", outline.Args)
	}
	if len(outline.Sources) != 1 || cmp.Diff(dockerfile, string(outline.Sources[0])) != "" {
		t.Errorf("sources: %q", outline.Sources)
	}
}
