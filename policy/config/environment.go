package config

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Platforms returns the marker variables of the platforms that the file may
// name, by sys_platform. Source: Python's documentation of sys.platform, os.name
// and platform.system.
func Platforms() map[string]map[string]string {
	return map[string]map[string]string{
		"linux":  {"sys_platform": "linux", "os_name": "posix", "platform_system": "Linux"},
		"darwin": {"sys_platform": "darwin", "os_name": "posix", "platform_system": "Darwin"},
		"win32":  {"sys_platform": "win32", "os_name": "nt", "platform_system": "Windows"},
	}
}

func (r *reader) environments(c *Config, n *yaml.Node) {
	r.mapping(n, "environments", []string{"python", "platforms"}, map[string]func(*yaml.Node){
		"python": func(n *yaml.Node) { r.python(&c.Environments, n) },
		"platforms": func(n *yaml.Node) {
			r.list(n, "platforms", func(item *yaml.Node) {
				if p := word(r, item, "linux", "darwin", "win32"); p != "" {
					c.Environments.Platforms = append(c.Environments.Platforms, p)
				}
			})
		},
	})
}

func (r *reader) python(e *Environments, n *yaml.Node) {
	text := r.text(n)
	if text == "" {
		return
	}
	s, err := pep440.ParseSpecifiers(text)
	switch {
	case err != nil:
		r.fail(n, "%s is no specifier of Python's versions: write one such as \">=3.10\"", quoted(text))
	case s.Set().Empty():
		r.fail(n, "%s admits no version of Python", quoted(text))
	default:
		e.Python, e.Pythons = text, s.Set()
	}
}

func (r *reader) database(c *Config, n *yaml.Node) {
	c.Database.Line = n.Line
	r.mapping(n, "database", []string{"source", "max_age"}, map[string]func(*yaml.Node){
		"source":  func(n *yaml.Node) { c.Database.Source = r.source(n) },
		"max_age": func(n *yaml.Node) { c.Database.MaxAge = r.age(n) },
	})
}

// source is a path or an https address, without a password: the file is public.
func (r *reader) source(n *yaml.Node) string {
	text := r.text(n)
	if text == "" {
		return ""
	}
	if scheme, _, ok := strings.Cut(text, "://"); ok {
		switch {
		case !strings.EqualFold(scheme, "https"):
			r.fail(n, "advisories are fetched by https only: write an https address or a path")
			return ""
		case route.RedactText(text) != text:
			r.fail(n, "the address holds a user or a password, which would be public: take it out")
			return ""
		}
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' }) {
		r.fail(n, "%s is no path: it holds a control character", quoted(text))
		return ""
	}
	return text
}
