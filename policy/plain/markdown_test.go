package plain

import "testing"

// In a span of code nothing is markup, and nothing ends the span, the cell or the
// line.
func TestCodeSpan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       "",
		" \t ":                   `\t`,
		"fix the build":          "`fix the build`",
		"  a  ":                  "`a`",
		"a`b``c":                 `a\x60b\x60\x60c`,
		"a | b":                  `a \x7c b`,
		"[x](https://a.example)": "`[x](https://a.example)`",
		"@team #1 <b>":           "`@team #1 <b>`",
		"a\nb\x1b[31m\u202e":     `a\nb\x1b[31m\u202e`,
		"\\":                     "`\\`",
		"::error::stop":          `\x3a:error::stop`,
		"\xff":                   `\xff`,
	} {
		if want != "" && want[0] != '`' {
			want = "`" + want + "`"
		}
		if got := CodeSpan(text); got != want {
			t.Errorf("CodeSpan(%q) = %s, want %s", text, got, want)
		}
	}
}
