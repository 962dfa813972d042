package config

import (
	"path"

	"go.yaml.in/yaml/v3"
)

// Review is what the review of a change is held to.
type Review struct {
	// Unprovable is for a build whose Dockerfile can't be told, or not be read: ""
	// is Warn.
	Unprovable Level
	// SensitivePaths are more patterns of files whose changes a person shall look
	// at: as those of path.Match, or a folder with a slash at its end.
	SensitivePaths []string
	// SensitiveRules are patterns of rules, "RULE" or "TOOL/RULE" with * for any
	// text, whose findings are not for the public.
	SensitiveRules []string
	// CommitAuthors makes the authors of a change's commits its authors, who can't
	// sign for it.
	CommitAuthors bool
}

func (r *reader) review(c *Config, n *yaml.Node) {
	v := &c.Review
	r.mapping(n, "review", []string{"unprovable", "sensitive_paths", "sensitive_rules", "commit_authors"}, map[string]func(*yaml.Node){
		"unprovable":     func(n *yaml.Node) { v.Unprovable = word(r, n, Fail, Warn, Allow) },
		"commit_authors": func(n *yaml.Node) { v.CommitAuthors = r.bool(n) },
		"sensitive_paths": func(n *yaml.Node) {
			r.list(n, "sensitive_paths", func(item *yaml.Node) {
				if pattern := r.filePattern(item); pattern != "" {
					v.SensitivePaths = append(v.SensitivePaths, pattern)
				}
			})
		},
		"sensitive_rules": func(n *yaml.Node) {
			r.list(n, "sensitive_rules", func(item *yaml.Node) {
				pattern := r.text(item)
				if _, err := path.Match(pattern, ""); err != nil {
					r.fail(item, "%s is no pattern of rules: write RULE or TOOL/RULE, with * and ?", quoted(pattern))
				} else if pattern != "" {
					v.SensitiveRules = append(v.SensitiveRules, pattern)
				}
			})
		},
	})
}
