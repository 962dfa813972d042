package review

import (
	"fmt"
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/lens"
	"github.com/loopx/loopx-frontend/policy/plain"
)

// Limits of what GitHub takes: the body of a review has 65,536 characters
// (https://github.com/orgs/community/discussions/27190).
const (
	maxBody     = 60_000 // bytes
	maxItems    = 50
	maxComments = 50
)

// Markdown writes the review as a comment of a pull request. All foreign text in
// it stands in spans of code, where it is nothing but text.
func (v *Review) Markdown(w io.Writer) error {
	_, err := io.WriteString(w, v.body(nil))
	return err
}

// body is the comment; said are findings that are told elsewhere.
func (v *Review) body(said map[int]bool) string {
	news := v.News()
	var b strings.Builder
	fmt.Fprintf(&b, "### LoopX review: %s\n\n%s.\n\n", v.Verdict, sentence(v.reason()))
	told, left := 0, 0
	for i, f := range news.Findings {
		if said[i] {
			continue
		}
		line := "- " + item(f) + "\n"
		if told == maxItems || b.Len()+len(line) > maxBody {
			left++
			continue
		}
		told++
		b.WriteString(line)
	}
	if left > 0 {
		fmt.Fprintf(&b, "- and %d more\n", left)
	}
	for _, held := range news.WithheldInOrder() {
		fmt.Fprintf(&b, "- **%s**: %d of the family %s not shown here", held.Severity, held.Count, plain.CodeSpan(held.Family))
		if news.Pointer != "" {
			fmt.Fprintf(&b, ": %s", plain.CodeSpan(policy.Line(news.Pointer)))
		}
		b.WriteString("\n")
	}
	v.moves(&b)
	fmt.Fprintf(&b, "\nHead %s, base %s, compared from %s; policy and signers of %s.\n",
		plain.CodeSpan(string(v.Head.Commit)), plain.CodeSpan(string(v.Base.Commit)), plain.CodeSpan(string(v.MergeBase)), plain.CodeSpan(string(v.Target.Commit)))
	return b.String()
}

// sentence begins with a capital letter.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// item is one finding.
func item(f lens.Shadowed) string {
	text := fmt.Sprintf("**%s**", f.Severity)
	if f.State() != lens.Open {
		text += fmt.Sprintf(" (%s)", f.State())
	}
	if f.Location != nil {
		text += " " + plain.CodeSpan(policy.Redact(where(Finding{Shadowed: f})))
	}
	return fmt.Sprintf("%s %s (%s)", text, plain.CodeSpan(cut(f.Message)), plain.CodeSpan(f.Rule+" "+policy.ShortFingerprint(f.Fingerprint)))
}

// maxMessage is how much of a message is told, in bytes.
const maxMessage = 1000

func cut(text string) string {
	if len(text) <= maxMessage {
		return text
	}
	return strings.ToValidUTF8(text[:maxMessage], "") + "…"
}

// moves lists what happens to Dockerfiles as files.
func (v *Review) moves(b *strings.Builder) {
	for i, m := range v.Moved {
		if i == maxItems {
			fmt.Fprintf(b, "- and %d more files\n", len(v.Moved)-i)
			return
		}
		if i == 0 {
			b.WriteString("\nDockerfiles:\n\n")
		}
		fmt.Fprintf(b, "- %s %s\n", plain.CodeSpan(cut(policy.Redact(m.Path))), plain.CodeSpan(cut(m.What)))
	}
}
