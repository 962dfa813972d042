package floors

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
	// Why says what goes wrong without the rule, in a few sentences.
	Why string
	// Bad and Good are examples, lines of the file that In names.
	In, Bad, Good string
}

// Page is the address of the page that describes the rule.
func (r Rule) Page() string {
	return "https://github.com/loopx/loopx-frontend/blob/main/docs/floors.md#" + strings.ToLower(r.Name)
}

// The names of the rules.
const (
	ruleMalicious  = "FloorMalicious"
	ruleViolation  = "FloorViolation"
	ruleConflict   = "FloorConflict"
	ruleMissing    = "FloorMissing"
	ruleUnpinned   = "FloorUnpinned"
	ruleUnprovable = "FloorUnprovable"
	ruleCap        = "FloorCap"
	ruleEmpty      = "FloorEmpty"
	rulePolicy     = "FloorPolicy"
	ruleDatabase   = "FloorDatabase"
	ruleMarker     = "FloorMarker"
	ruleLibrary    = "FloorLibrary"
	ruleNote       = "FloorNote"
)

// Rules returns all rules, worst first.
func Rules() []Rule {
	return append(blockers(), append(warnings(), advice()...)...)
}

// blockers are the rules about what must not be installed.
func blockers() []Rule {
	return []Rule{
		{
			ruleMalicious, policy.Blocker, policy.SecurityPrivacy,
			"A version that is admitted was published to attack whoever installs it.",
			"A record whose id begins with MAL- says that the package is an attack, as a whole or in some versions. " +
				"There is no floor to raise: its code has run wherever it was installed.",
			"requirements.txt", "reqeusts>=2", "requests>=2.32.4",
		},
		{
			ruleViolation, policy.Blocker, policy.SecurityPrivacy,
			"A requirement admits versions below a security floor.",
			"An installer may pick any version that the requirement admits: from a cache, a mirror, an old lock, or since " +
				"another package caps the newer ones. That the newest version is fixed does not help then.",
			"pyproject.toml", `requires = ["setuptools>=70"]`, `requires = ["setuptools>=83.0.0,<84"]`,
		},
		{
			ruleConflict, policy.Blocker, policy.SecurityPrivacy,
			"No floor can be met within what a requirement admits.",
			"Every version that is admitted is affected and the fix lies above the upper bound, or there is no fixed " +
				"version at all. Raising the lower bound alone leaves nothing to install, so a person must choose: lift the cap, " +
				"replace the dependency, or record an exception with a reason and an end.",
			"pyproject.toml", `gpu = ["torch>=2.0,<2.5"]`, `gpu = ["torch>=2.6.0,<3"]`,
		},
		{
			ruleMissing, policy.Blocker, policy.SecurityPrivacy,
			"A dependency has no lower bound, and the policy asks for one (require_floor).",
			"Without a lower bound the next advisory makes the requirement wrong without a change to the file, and old " +
				"versions may be installed today.",
			"requirements.txt", "requests", "requests>=2.32.4",
		},
	}
}

// warnings are the rules about what a person should look at.
func warnings() []Rule {
	return []Rule{
		{
			ruleUnprovable, policy.Warning, policy.Validation,
			"It can't be told which version is installed, or which versions an advisory affects.",
			"A branch of a repository, a variable without a value, a list that only exists when the project is built: " +
				"nothing is proved by them, so they never count as a pass. `unprovable: error` makes each one fail, `allow` is silent.",
			"requirements.txt", "setuptools @ git+https://github.com/pypa/setuptools@main", "setuptools>=83.0.0",
		},
		{
			ruleUnpinned, policy.Warning, policy.Validation,
			"A requirement names no version at all, so that it admits versions below the floor (with `unpinned: warn`).",
			"Today the newest version is installed, tomorrow what a cache or a mirror has. It is a FloorViolation unless the " +
				"policy says `unpinned: warn`.",
			"Dockerfile", "RUN pip install setuptools", `RUN pip install "setuptools>=83.0.0"`,
		},
		{
			ruleDatabase, policy.Warning, policy.Validation,
			"There is no advisory database, or it is older than max_age allows.",
			"Advisories that came out since are not known, so that all is well is not known either. It blocks if loopx.yaml " +
				"names the database, or its age.",
			"loopx.yaml", "database: {source: advisories.zip, max_age: 7d} # last updated a month ago", "loopxctl floors update",
		},
		{
			rulePolicy, policy.Warning, policy.Validation,
			"Something is for the project to decide: an exception has ended, a declaration is missing, a setting does not reach as far as it seems.",
			"An exception that has ended lifts nothing any more; a build without declared requirements takes any setuptools; " +
				"PIP_CONSTRAINT does not reach isolated builds.",
			"pyproject.toml", "[project] # and no [build-system]", "[build-system]\nrequires = [\"setuptools>=83.0.0,<84\"]",
		},
		{
			ruleEmpty, policy.Warning, policy.Correctness,
			"A requirement admits no version at all.",
			"Nothing can be installed by it. Most often a bound has a typing error.",
			"requirements.txt", "setuptools>=90,<80", "setuptools>=83.0.0,<90",
		},
		{
			ruleCap, policy.Warning, policy.Validation,
			"A dependency has no upper bound, and the policy asks for one (cap).",
			"A new major version is installed on the day it comes out, untested.",
			"requirements.txt", "requests>=2.32.4", "requests>=2.32.4,<3",
		},
	}
}

// advice are the rules about what is good to know.
func advice() []Rule {
	return []Rule{
		{
			ruleMarker, policy.Advisory, policy.Validation,
			"A requirement admits versions below a floor, but its marker holds in no environment that is supported.",
			"It is never installed, as far as requires-python and the policy's environments tell: take it out.",
			"pyproject.toml", `dependencies = ["setuptools>=70; python_version < '3.0'"] # requires-python = ">=3.10"`, `dependencies = []`,
		},
		{
			ruleLibrary, policy.Advisory, policy.Validation,
			"A runtime dependency of a library admits versions below a floor.",
			"A library's bounds say what it works with; who installs it chooses the versions. With `library: true` its runtime " +
				"dependencies are told about and fail nothing, unless `scopes: {runtime: true}` says so.",
			"pyproject.toml", `dependencies = ["urllib3>=1.26"]`, `dependencies = ["urllib3>=2.0.7"]`,
		},
		{
			ruleNote, policy.Advisory, policy.Documentation,
			"Something about how a file was read: what it means to its tool, or what was followed.",
			"Installers pass over some mistakes without a word, such as a comment that swallows the next line.",
			"requirements.txt", "setuptools==83.0.0 # pinned \\\nrequests==2.32.4", "setuptools==83.0.0 # pinned\nrequests==2.32.4",
		},
	}
}

// publicFamily is all that is told of findings of these rules in public.
const publicFamily = "dependency-floor"

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
