package words

import "strings"

// echo gives the text to where it goes. Its words are one text: "echo deb
// http://…" is a deb line.
func (inv *invocation) echo() {
	args := inv.args
	for len(args) > 0 && strings.HasPrefix(args[0].s, "-") && strings.Trim(args[0].s, "-neE") == "" {
		args = args[1:]
	}
	if len(args) == 1 {
		inv.sh.written(args[0].unescape(control), inv.out)
	} else if len(args) > 1 {
		inv.sh.written(joined(args, " ").unescape(control), inv.out)
	}
}

// printf gives the format with its arguments to where the text goes; those
// that it has no place for use it again.
func (inv *invocation) printf() {
	if len(inv.args) == 0 {
		return
	}
	text, rest := formatted(inv.args[0], inv.args[1:])
	inv.sh.written(text.unescape(control), inv.out)
	for _, w := range rest {
		inv.sh.written(w.unescape(control), inv.out)
	}
}

// formatted puts arguments in the place of each %s of a format. rest are the
// arguments left over; a format that is nothing else than one %s takes none.
func formatted(format word, args []word) (text word, rest []word) {
	if strings.TrimSuffix(format.s, `\n`) == "%s" {
		return word{}, args
	}
	at := 0
	for len(args) > 0 {
		i := strings.Index(format.s[at:], "%s")
		if i < 0 {
			break
		}
		text = text.append(format.slice(at, at+i)).append(args[0])
		at += i + len("%s")
		args = args[1:]
	}
	return text.append(format.slice(at, len(format.s))), args
}
