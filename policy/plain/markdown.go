package plain

import "strings"

// CodeSpan returns text as a span of code in Markdown, also in a cell of a table:
// one line that is only text, in which GitHub makes no markup, no links and no
// mentions. What would end the span or the cell is spelled as an escape.
func CodeSpan(text string) string {
	if text = strings.TrimSpace(Text(text)); text == "" {
		return ""
	}
	return "`" + strings.NewReplacer("`", `\x60`, "|", `\x7c`).Replace(text) + "`"
}
