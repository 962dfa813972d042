package notice

import (
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/report"
)

// Rule is a kind of finding, with what its documentation says.
type Rule struct {
	Name     string
	Severity policy.Severity
	Class    policy.Class
	// Description is one line.
	Description string
	// Why says what it means and what to do, in a few sentences.
	Why string
}

// Page is the address of the page that describes the rule.
func (r Rule) Page() string {
	return "https://github.com/loopx/loopx-frontend/blob/main/docs/notices.md#" + strings.ToLower(r.Name)
}

// The names of the rules.
const (
	RuleMalicious = "NoticeMalicious"
	RuleAffected  = "NoticeAffected"
	RuleRebuild   = "NoticeRebuild"
	RulePossible  = "NoticePossible"
	RuleUnread    = "NoticeUnread"
)

// Rules returns all rules, worst first.
func Rules() []Rule {
	return []Rule{
		{
			RuleMalicious, policy.Blocker, policy.SecurityPrivacy,
			"A place installs a version that was published to attack whoever installs it.",
			"A record whose id begins with MAL- says that the package is an attack. No version mends it: remove the package, and " +
				"replace every secret that it could read.",
		},
		{
			RuleAffected, policy.Blocker, policy.SecurityPrivacy,
			"A place declares, pins or takes in an affected version, so that it has to be changed.",
			"A rebuild does not help: the place itself holds the version back, or lets affected ones in, or there is no fix yet. " +
				"The message says what to write.",
		},
		{
			RuleRebuild, policy.Blocker, policy.SecurityPrivacy,
			"What was built before the fix came out is affected, and a rebuild alone picks the fix up.",
			"Nothing in the file has to change. The step that installs the package is in the build cache as long as its text stays, " +
				"so the rebuild needs `--no-cache`. `--rebuilt TIME` says that it was done.",
		},
		{
			RulePossible, policy.Warning, policy.Validation,
			"A place may be affected, and the files alone don't tell.",
			"The release of a base image, the value of a variable, the time of a snapshot is not known. The message says what would " +
				"tell, such as `--base-os` or `--packages`.",
		},
		{
			RuleUnread, policy.Advisory, policy.Validation,
			"What a place installs is not known in full, so that no notice can be held against it.",
			"Packages that a pattern, a file, a script or a variable without a value names are in no list, and what " +
				"can't be read of Python's requirements is in none either. A list of what is in the built image (`--sbom`) has them. " +
				"Of a package whose source package is not known, `--packages` tells it. It is a note and fails nothing here; the " +
				"[release gate](release-gate.md) does not pass by it.",
		},
	}
}

func ruleNamed(name string) Rule {
	for _, r := range Rules() {
		if r.Name == name {
			return r
		}
	}
	return Rule{}
}

// publicFamily is all that is told of findings of these rules in public.
const publicFamily = "security-notice"

// ReportRules describes the rules as reports list them.
func ReportRules() []report.Rule {
	var all []report.Rule
	for _, r := range Rules() {
		all = append(all, report.Rule{
			Name: r.Name, Description: r.Description, Class: r.Class, Severity: r.Severity, Help: r.Page(), Family: publicFamily,
		})
	}
	return all
}
