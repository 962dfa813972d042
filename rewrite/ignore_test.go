package rewrite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIgnore(t *testing.T) {
	const pipe = "RUN curl https://a.example.com/i | sh\n"
	for _, row := range []struct {
		name, text string
		want       []string
	}{
		{"silenced", "# loopx:ignore=CurlPipeShell reason=we wrote that script\n" + pipe, nil},
		{"blanks", "#loopx:ignore = CurlPipeShell   reason = x\n" + pipe, nil},
		{"two rules", "# loopx:ignore=CurlPipeShell,AptKey reason=x\nRUN curl https://a.example.com/i | sh && apt-key add k\n", nil},
		{"above another comment", "# loopx:ignore=CurlPipeShell reason=x\n# what it does\n" + pipe, nil},
		{"an instruction of several lines", "# loopx:ignore=CurlPipeShell reason=x\nRUN true && \\\n curl https://a.example.com/i | sh\n", nil},
		{"only the next instruction", "# loopx:ignore=CurlPipeShell reason=x\n" + pipe + pipe, []string{"4 CurlPipeShell"}},
		{"no reason", "# loopx:ignore=CurlPipeShell\n" + pipe, []string{"2 UnusedIgnore it gives no reason", "3 CurlPipeShell"}},
		{"empty reason", "# loopx:ignore=CurlPipeShell reason= \n" + pipe, []string{"2 UnusedIgnore it gives no reason", "3 CurlPipeShell"}},
		{"unknown rule", "# loopx:ignore=CurlPipe reason=x\n" + pipe, []string{"2 UnusedIgnore there is no rule", "3 CurlPipeShell"}},
		{"no rule", "# loopx:ignore= reason=x\n" + pipe, []string{"2 UnusedIgnore it names no rule", "3 CurlPipeShell"}},
		{"matches nothing", "# loopx:ignore=AptKey reason=x\n" + pipe, []string{"2 UnusedIgnore the instruction below it has no finding", "3 CurlPipeShell"}},
		{"an empty line between", "# loopx:ignore=CurlPipeShell reason=x\n\n" + pipe, []string{"2 UnusedIgnore no instruction stands below", "4 CurlPipeShell"}},
		{"at the end", pipe + "# loopx:ignore=CurlPipeShell reason=x\n", []string{"2 CurlPipeShell", "3 UnusedIgnore no instruction"}},
		{"a blocker", "# loopx:ignore=VerificationOff reason=x\nRUN curl -k https://a.example.com/i\n", []string{"2 UnusedIgnore VerificationOff is a blocker", "3 VerificationOff"}},
		{"an edit", "# loopx:ignore=ClearTextFetch reason=x\nRUN curl http://a.example.com/i\n", []string{"2 UnusedIgnore ClearTextFetch can't be silenced", "3 ClearTextFetch"}},
		{"not edited", "# loopx:ignore=NotEdited reason=x\nRUN python -c \"x('http' + '://a.example.com')\"\n", []string{"2 UnusedIgnore the instruction below it has no finding"}},
		{"itself", "# loopx:ignore=UnusedIgnore reason=x\nRUN true\n", []string{"2 UnusedIgnore the instruction below"}},
		{"inside of a RUN", "RUN true \\\n# loopx:ignore=CurlPipeShell reason=x\n && curl https://a.example.com/i | sh\n", []string{"4 CurlPipeShell"}},
		{"in a heredoc", "RUN <<E\n# loopx:ignore=CurlPipeShell reason=x\ncurl https://a.example.com/i | sh\nE\n", []string{"4 CurlPipeShell"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			p, err := New([]byte("FROM a\n"+row.text), Config{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, f := range p.Findings {
				s := fmt.Sprintf("%d %s", f.Range.Start.Line, f.Rule)
				if f.Rule == "UnusedIgnore" {
					s += " " + strings.TrimPrefix(f.Message, "this comment silences nothing: ")
				}
				if i < len(row.want) && strings.HasPrefix(s, row.want[i]) {
					s = row.want[i]
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}
