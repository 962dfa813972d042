package rewrite

import (
	"errors"
	"testing"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// TestAptShown checks one RUN at a time: whether the text shows all of apt's
// sources when it first runs apt, or at its end. Each near twin that doesn't
// show them follows.
func TestAptShown(t *testing.T) {
	const parts = "rm -rf /etc/apt/sources.list.d && "
	for _, row := range []struct {
		name, text string
		want       bool
	}{
		{"echo", parts + "echo deb > /etc/apt/sources.list", true},
		{"appended", parts + "echo deb >> /etc/apt/sources.list", false},
		{"quoted name", parts + `printf 'deb\n' >| "/etc/apt/sources.list"`, true},
		{"name with a variable", parts + `echo deb > "/etc/apt/$x"`, false},
		{"empty file", parts + "> /etc/apt/sources.list", true},
		{"removed", parts + "rm /etc/apt/sources.list", true},
		{"tee", parts + "echo deb | sudo tee /etc/apt/sources.list", true},
		{"tee -a", parts + "echo deb | tee -a /etc/apt/sources.list", false},
		{"tee of a fetch", parts + "curl https://a | tee /etc/apt/sources.list", false},
		{"heredoc", parts + "cat > /etc/apt/sources.list <<E\ndeb\nE\n", true},
		{"copy of a file", parts + "cat /x > /etc/apt/sources.list", false},
		{"fetched", parts + "echo deb > /etc/apt/sources.list && curl -o /etc/apt/sources.list.d/x.list https://a", false},
		{"block", "{ " + parts + "echo deb > /etc/apt/sources.list; }", true},
		{"subshell", "( " + parts + "echo deb > /etc/apt/sources.list )", false},
		{"statements", "rm -f /etc/apt/sources.list.d/*.sources\necho deb > /etc/apt/sources.list\n", true},
		{"chain that may stop", parts + "echo deb > /etc/apt/sources.list; true", false},
		{"or", "rm -rf /etc/apt/sources.list.d || true; echo deb > /etc/apt/sources.list", true},
		{"only if it fails", parts + "false || echo deb > /etc/apt/sources.list", false},
		{"one of the parts", "rm /etc/apt/sources.list.d/x.list && echo deb > /etc/apt/sources.list", false},
		{"before apt", parts + "echo deb > /etc/apt/sources.list && apt-get update && ./x.sh", true},
		{"after apt", "apt-get update && " + parts + "echo deb > /etc/apt/sources.list", false},
		{"after apt in a branch", "if x; then apt-get update; fi; rm -r /etc/apt/sources.list.d; echo > /etc/apt/sources.list", false},
		{"a repository added", parts + "echo deb > /etc/apt/sources.list && add-apt-repository x", true},
		{"a repository added before", parts + "echo deb > /etc/apt/sources.list && $x && apt-get update", false},
		{"not shell", parts + "echo deb > /etc/apt/sources.list )", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			cmd := words.Input{Args: append(synthetic([]string{"/bin/bash", "-ec"}), textmap.Identity(row.text))}
			var a aptSources
			if got := a.run(cmd); got != row.want {
				t.Errorf("shown: %v, want %v", got, row.want)
			}
		})
	}
}

// TestAptShownAfter checks what takes a stage's knowledge back.
func TestAptShownAfter(t *testing.T) {
	for _, row := range []struct {
		name string
		do   func(*aptSources)
		want bool
	}{
		{"nothing", func(*aptSources) {}, true},
		{"another file", func(a *aptSources) { a.copied("/opt/x") }, true},
		{"a file of apt's", func(a *aptSources) { a.copied("/etc/apt/sources.list.d/") }, false},
		{"a tree", func(a *aptSources) { a.copied("/") }, false},
		{"a place that is not known", func(a *aptSources) { a.copied("") }, false},
		{"a program", func(a *aptSources) { a.run(words.Input{Args: synthetic([]string{"/usr/bin/apt-get", "update"})}) }, true},
		{"an unknown program", func(a *aptSources) { a.run(words.Input{Args: synthetic([]string{"/setup.sh"})}) }, false},
		{"a script", func(a *aptSources) {
			a.run(words.Input{Args: synthetic([]string{"/x"}), Script: textmap.Identity("#!/bin/sh\n. /x\n")})
		}, false},
	} {
		a := aptSources{main: true, parts: true}
		if row.do(&a); a.shown() != row.want {
			t.Errorf("after %s: %v, want %v", row.name, a.shown(), row.want)
		}
	}
}

func TestConfigError(t *testing.T) {
	cfg := Config{Route: route.Config{Mirrors: map[string][]string{"debian": {"http://mirror.example/debian"}}}}
	var e *route.ConfigError
	if _, err := New([]byte("FROM debian\n"), cfg); !errors.As(err, &e) {
		t.Errorf("error %v", err)
	}
}
