package gate

import (
	"slices"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// unshown says why a command may fetch from where its text does not show, as a
// clause; "" if all that it fetches from is in the text.
func unshown(cmd words.Input, res words.Result) string {
	switch {
	case connects(cmd):
		return "it opens a connection by itself"
	case res.Skipped:
		return "a part of it is too long or too deep to be read"
	case res.Unparsed != "":
		return "it can't be read as shell"
	}
	for _, c := range res.Calls {
		if why := unshownBy(c); why != "" && !c.Function {
			return c.Name + " " + why
		}
	}
	return ""
}

// connects reports whether the shell may be told to open a connection (bash(1),
// REDIRECTION).
func connects(cmd words.Input) bool {
	texts := append(slices.Clone(cmd.Args), cmd.Script)
	for _, v := range cmd.Env {
		texts = append(texts, v.Value)
	}
	return slices.ContainsFunc(texts, func(t textmap.Text) bool {
		return strings.Contains(t.String(), "/dev/tcp/") || strings.Contains(t.String(), "/dev/udp/")
	})
}

const (
	byConfiguration = "fetches from where its configuration says"
	byList          = "takes addresses from a file, from what it fetched or from another command"
)

// unshownBy says it of one call.
func unshownBy(c words.Call) string {
	args := c.Args[min(1, len(c.Args)):]
	if len(args) == 1 && slices.Contains([]string{"--version", "-V", "--help", "-h", "version", "help"}, args[0]) {
		return ""
	}
	switch c.Name {
	case "curl", "wget", "wget2", "aria2c", "axel", "http", "https", "GET", "HEAD", "lwp-request", "lwp-download":
		return addressed(c.Name, args)
	case "git":
		return unshownGit(args)
	case "gpg", "gpg2", "gpgv", "apt-key":
		return unshownKeys(args)
	case "rsync":
		if slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "::") }) {
			return "fetches in a protocol without encryption"
		}
		return ""
	case "openssl":
		if slices.Contains(args, "s_client") {
			return "opens a connection by itself"
		}
		return ""
	case "ftp":
		return "fetches in a protocol without encryption"
	case "mount":
		if slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, ":") }) {
			return "mounts what another machine has"
		}
		return ""
	}
	if words.Fetches(c.Name) && !strings.HasPrefix(c.Name, "apt") {
		return byConfiguration
	}
	return ""
}

// lists are the options by which a program takes addresses from elsewhere: long
// ones by how they begin, and the letters of short ones; valued are the letters
// behind which the rest of a word is a value (curl(1), wget(1), aria2c(1)).
var lists = map[string]struct {
	long           []string
	letter, valued string
}{
	"curl":   {[]string{"--config", "--variable", "--expand-"}, "K", "ABCDEFHKPQTUXYbcdehmortuwxyz"},
	"wget":   {[]string{"--input", "--exec", "--config", "--recursive", "--mirror", "--page-req", "--base"}, "eimprB", "ABDIOPQRTUXaeilotw"},
	"wget2":  {[]string{"--input", "--exec", "--config", "--recursive", "--mirror", "--page-req", "--base"}, "eimprB", "ABDIOPQRTUXaeilotw"},
	"aria2c": {[]string{"--input", "--conf-path", "--metalink", "--torrent"}, "iMT", "dosxjklMTi"},
}

// addressed says why the addresses of a program that is given them are not shown.
func addressed(name string, args []string) string {
	l := lists[name]
	shown := false
	for i, a := range args {
		switch {
		case strings.HasPrefix(a, "--"):
			if slices.ContainsFunc(l.long, func(o string) bool { return strings.HasPrefix(a, o) }) {
				return byList
			}
		case strings.HasPrefix(a, "-"):
			letters := a[1:]
			if end := strings.IndexAny(letters, l.valued); end >= 0 {
				letters = letters[:end+1]
			}
			if strings.ContainsAny(letters, l.letter) {
				return byList
			}
		case strings.HasPrefix(a, "${") && (i == 0 || !valued(args[i-1])):
			return byList
		default:
			shown = shown || strings.Contains(a, "://")
		}
	}
	if !shown {
		return byList
	}
	return ""
}

// valued reports whether a word is an option whose value, the next word, is no
// address, with any of the programs.
func valued(option string) bool {
	return slices.Contains([]string{
		"-o", "-O", "-P", "-H", "-A", "-d", "-u", "-m", "--output", "--output-document", "--output-dir", "--directory-prefix", "--header",
		"--user", "--user-agent", "--data", "--retry", "--max-time", "--connect-timeout", "--timeout", "--tries", "--cacert", "--ca-certificate",
	}, option)
}

// unshownGit says it of git. Commands that stay in the repository need no address.
func unshownGit(args []string) string {
	for len(args) > 1 && (args[0] == "-c" || args[0] == "-C") {
		args = args[2:]
	}
	i := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if i < 0 {
		return ""
	}
	switch args[i] {
	case "clone", "ls-remote":
		recursive := slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--recurs") })
		address := func(a string) bool { return strings.Contains(a, "://") || strings.Contains(a, "@") }
		if recursive || !slices.ContainsFunc(args[i+1:], address) {
			return byList
		}
	case "fetch", "pull", "push", "submodule", "remote", "lfs", "archive", "svn", "p4", "cvsimport", "fetch-pack", "http-fetch", "subtree":
		return byConfiguration
	}
	return ""
}

// unshownKeys says it of the programs of GnuPG, which fetch keys if they are told.
func unshownKeys(args []string) string {
	fetches, named := false, false
	for _, a := range args {
		for _, option := range []string{"--recv", "--refresh", "--locate", "--search", "--fetch", "--auto-key"} {
			fetches = fetches || strings.HasPrefix(a, option)
		}
		named = named || strings.Contains(a, "://") || strings.HasPrefix(a, "--keyserver")
	}
	if fetches && !named {
		return byConfiguration
	}
	return ""
}
