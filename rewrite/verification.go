package rewrite

import (
	"regexp"
	"strings"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// switchedOff finds apt's certificate checks with a value that apt reads as
// no, in a configuration file or after -o. Sources: apt.conf(5), the options of
// Acquire::https; StringToBool in apt-pkg/contrib/strutl.cc.
var switchedOff = regexp.MustCompile(`(?i)(Verify-(?:Peer|Host))(?:[\s=]|\\?["'])+(?:false|0|no|off|without|disable)\b`)

// verification reports where a text switches apt's certificate checks off.
func (p *planner) verification(in *instruction, t textmap.Text) {
	s := t.String()
	if !strings.Contains(strings.ToLower(s), "verify-") {
		return
	}
	for _, m := range switchedOff.FindAllStringSubmatchIndex(s, -1) {
		line := strings.TrimLeft(s[strings.LastIndexByte(s[:m[0]], '\n')+1:m[0]], " \t")
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//") {
			continue
		}
		span := in.span
		if i, j, ok := t.Range(m[0], m[1]); ok {
			span = p.file.src.span(i, j)
		}
		p.report(verificationOff(span, s[m[2]:m[3]]))
	}
}
