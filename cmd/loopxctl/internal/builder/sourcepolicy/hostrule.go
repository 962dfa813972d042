package sourcepolicy

import (
	"regexp"
	"strings"

	spb "github.com/moby/buildkit/sourcepolicy/pb"

	"github.com/loopx/loopx-frontend/rewrite/route"
)

// hostRule adds what the operator said of one host.
func (p *policy) hostRule(r route.HostRule) {
	host, suffix := strings.CutPrefix(r.Host, "*.")
	ports := port
	if hasPort(host) {
		i := strings.LastIndexByte(host, ':')
		host, ports = host[:i], ":"+host[i+1:]
	}
	if ports == ":80" {
		ports = usual
	}
	name := `(?i:` + regexp.QuoteMeta(host) + `)\.?`
	if suffix {
		name = `(?:` + label + `\.)+` + name
	}
	at := `(` + name + `)` + `(` + ports + `)` + rest
	switch r.Action {
	case "keep":
		if ports == port || ports == usual {
			p.keep(name)
		}
		p.allowed = append(p.allowed, rule(spb.PolicyAction_ALLOW, `^http://`+at, ""))
	case "refuse":
		p.refuse(`^https?://` + name + ports + `(?:[/?].*)?)$`)
	case "upgrade":
		p.convert(`^http://(`+name+`)`+usual+rest, "https://${1}${2}")
		p.convert(`^http://`+at, "https://${1}${2}${3}")
	default:
		p.elsewhere(`://`+name+ports+rest, r.Action, "${1}")
	}
}

// elsewhere converts http, and https too unless the target would be converted
// again, for ever. tail is what follows the target.
func (p *policy) elsewhere(selector, target, tail string) {
	scheme := `^https?`
	if re, err := regexp.Compile(scheme + selector); err != nil || re.MatchString(target) || re.MatchString(target+"/dists") {
		scheme = `^http`
	}
	p.convert(scheme+selector, strings.ReplaceAll(target, "$", "$$")+tail)
}
