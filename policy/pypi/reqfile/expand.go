package reqfile

import "strings"

// expand replaces ${NAME} as pip does: for each occurrence in the line as it
// was, in order, every occurrence of that variable in the line as it is by
// then. Unset and empty variables stay. kept is the number of bytes at the
// start that nothing touched. It is not ok if the line grows beyond most bytes
// or is replaced in more than a thousand times, which takes values that name
// variables.
func expand(line string, env map[string]string, most int) (out string, kept int, ok bool) {
	const mostRounds = 1000
	kept = len(line)
	if len(line) > most {
		return "", 0, false
	}
	if len(env) == 0 || !strings.Contains(line, "${") {
		return line, kept, true
	}
	out = line
	// clean holds the variables that are known not to be in out.
	clean := map[string]bool{}
	for rest, rounds := line, 0; ; {
		name, after := nextVariable(rest)
		if name == "" {
			return out, kept, true
		}
		rest = after
		value := env[name]
		if value == "" || clean[name] {
			continue
		}
		ref := "${" + name + "}"
		i := strings.Index(out, ref)
		if i < 0 {
			clean[name] = true
			continue
		}
		if rounds++; rounds > mostRounds || len(out)+strings.Count(out, ref)*(len(value)-len(ref)) > most {
			return "", 0, false
		}
		kept = min(kept, i)
		out = strings.ReplaceAll(out, ref, value)
		clear(clean)
	}
}

// nextVariable finds the first ${NAME} of capital letters, digits and
// underscores, and what stands behind it; "" if there is none.
func nextVariable(s string) (name, rest string) {
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			return "", ""
		}
		s = s[i+2:]
		n := 0
		for n < len(s) && isWord(s[n]) && (s[n] < 'a' || s[n] > 'z') {
			n++
		}
		if n > 0 && n < len(s) && s[n] == '}' {
			return s[:n], s[n+1:]
		}
	}
}

// variables lists the names of ${NAME} in a text, each once.
func variables(s string) []string {
	var names []string
	seen := map[string]bool{}
	for {
		name, rest := nextVariable(s)
		if name == "" {
			return names
		}
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
		s = rest
	}
}
