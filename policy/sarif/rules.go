package sarif

import (
	"strconv"
	"strings"
)

// component is what is kept of a tool or a plugin.
type component struct {
	name, version string
	rules         []rule
	byID          map[string]int // index into rules, of the first with that id
}

// rule is what is kept of a rule.
type rule struct {
	id, level, description string
	messages               map[string]string
	traits
}

func (r *run) toolField(name string) error {
	switch name {
	case "driver":
		return r.component(&r.driver)
	case "extensions":
		return r.json.Array(func() error {
			r.extensions = append(r.extensions, component{})
			return r.component(&r.extensions[len(r.extensions)-1])
		})
	}
	return r.json.Skip()
}

func (r *run) component(c *component) error {
	c.byID = map[string]int{}
	return r.json.Object(func(name string) error {
		switch name {
		case "name":
			return r.json.Value(&c.name)
		case "version":
			return r.json.Value(&c.version)
		case "semanticVersion":
			if c.version != "" {
				return r.json.Skip()
			}
			return r.json.Value(&c.version)
		case "rules":
			return r.json.Array(func() error { return r.rule(c) })
		}
		return r.json.Skip()
	})
}

func (r *run) rule(c *component) error {
	var raw Rule
	if err := r.json.Value(&raw); err != nil {
		return err
	}
	if len(c.rules) == maxRules {
		return r.json.Fail("a tool has more than %d rules", maxRules)
	}
	if _, ok := c.byID[raw.ID]; !ok {
		c.byID[raw.ID] = len(c.rules)
	}
	c.rules = append(c.rules, keepRule(raw))
	return nil
}

func keepRule(raw Rule) rule {
	k := rule{id: raw.ID, messages: map[string]string{}}
	if raw.Configuration != nil {
		k.level = raw.Configuration.Level
	}
	for _, m := range []*Message{raw.ShortDescription, raw.FullDescription} {
		if m != nil && k.description == "" {
			k.description = shorten(m.Text)
		}
	}
	for id, m := range raw.MessageStrings {
		k.messages[id] = shorten(m.Text)
	}
	k.traits = inspect(raw.Properties)
	k.secret = k.secret || mentionsSecret(k.id)
	for _, relation := range raw.Relationships {
		k.security = k.security || isWeakness(relation.Target)
	}
	return k
}

// isWeakness reports whether a reference leads to the Common Weakness
// Enumeration.
func isWeakness(ref RuleReference) bool {
	return ref.Component != nil && strings.EqualFold(ref.Component.Name, "CWE") || isCWE(ref.ID)
}

// find returns the rule of a result (3.27.5 to 3.27.7, 3.52.3). An index whose
// rule has another id than the result is not believed.
func (r *run) find(p *pending) rule {
	c := &r.driver
	if i := p.component; i >= 0 && i < len(r.extensions) {
		c = &r.extensions[i]
	}
	if i := p.index; i >= 0 && i < len(c.rules) && belongs(p.id, c.rules[i].id) {
		return c.rules[i]
	}
	for id := p.id; id != ""; {
		for _, c := range append([]component{*c, r.driver}, r.extensions...) {
			if i, ok := c.byID[id]; ok {
				return c.rules[i]
			}
		}
		i := strings.LastIndexByte(id, '/') // a result may name a part of a rule
		id = id[:max(0, i)]
	}
	return rule{}
}

// belongs reports whether a result's rule id is that of a rule, or of a part
// of it.
func belongs(id, rule string) bool {
	rest, ok := strings.CutPrefix(id, rule)
	return id == "" || ok && (rest == "" || rest[0] == '/')
}

// fill puts arguments into the placeholders {0}, {1}, … of a message (3.11.5).
func fill(text string, arguments []string) string {
	if len(arguments) == 0 {
		return text
	}
	var pairs []string
	for i, a := range arguments[:min(len(arguments), 20)] {
		pairs = append(pairs, "{"+strconv.Itoa(i)+"}", shorten(a))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
