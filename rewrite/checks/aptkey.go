package checks

import "strings"

var aptKey = Rule{
	Name: "AptKey", Severity: advisory, Class: releaseCompatibility,
	Description: "apt-key makes a key good for every repository, and newer releases don't have it.",
	Why: "A key that apt-key adds may sign any package of any repository, Debian's own included, and Debian 13 and Ubuntu 26.04 have no apt-key. " +
		"Write the key to a file of /etc/apt/keyrings, and name it with signed-by on the repository's line.",
	Bad: "FROM debian:bookworm-slim\nRUN curl -fsSL https://apt.example.com/key.asc | apt-key add -\n",
	Good: "FROM debian:bookworm-slim\nRUN curl -fsSL -o /etc/apt/keyrings/example.asc https://apt.example.com/key.asc && \\\n" +
		"    echo 'deb [signed-by=/etc/apt/keyrings/example.asc] https://apt.example.com/ stable main' >/etc/apt/sources.list.d/example.list\n",

	command: aptKeyCommand,
}

func aptKeyCommand(c *Command) []Finding {
	var out []Finding
	for _, call := range c.Calls {
		if call.Name != "apt-key" || call.Function {
			continue
		}
		for _, a := range call.Args[1:] {
			if strings.HasPrefix(a, "-") {
				continue
			}
			if a == "add" || a == "adv" {
				out = append(out, found(c.place("apt-key", a),
					"apt-key makes the key good for every repository; write it to a file of /etc/apt/keyrings and name that with signed-by"))
			}
			break
		}
	}
	return out
}
