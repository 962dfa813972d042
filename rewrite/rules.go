package rewrite

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/loopx/loopx-frontend/rewrite/checks"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/words"
)

// Rule is a kind of Finding.
type Rule struct {
	Name        string
	Severity    Severity
	Description string // one line
	// Class says what it is about, as package policy spells it.
	Class string
}

// Classes of the rules here, as package policy spells them. What is of
// security_privacy blocks everywhere, so it is for the blockers alone. What else
// is about a fetch is a check that was left out.
const (
	securityPrivacy  = "security_privacy"
	validation       = "validation"
	errorSupervision = "error_supervision"
	documentation    = "documentation"
)

// Page is the address of the page that describes the rule.
func (r Rule) Page() string {
	return "https://github.com/loopx/loopx-frontend/blob/main/docs/rules.md#" + strings.ToLower(r.Name)
}

// The rules, each with the function that words its findings.
var (
	ruleClearTextFetch = Rule{
		"ClearTextFetch", Advisory,
		"A fetch travels in clear text and has a TLS form that is known to work; the finding holds the fix.",
		validation,
	}
	ruleClearTextRefused = Rule{
		"ClearTextRefused", Blocker,
		"A fetch travels in clear text and no TLS form is known to work for it.",
		securityPrivacy,
	}
	ruleAptUnguarded = Rule{
		"AptUnguarded", Blocker,
		"A RUN runs apt where the guard that moves its fetches to TLS can't be.",
		securityPrivacy,
	}
	ruleAptMayBeUnguarded = Rule{
		"AptMayBeUnguarded", Warning,
		"A RUN may run apt where the guard that moves its fetches to TLS can't be.",
		validation,
	}
	ruleGuardTampering = Rule{
		"GuardTampering", Blocker,
		"An option on apt's command line takes the place of the guard that moves its fetches to TLS.",
		securityPrivacy,
	}
	ruleNotEdited = Rule{
		"NotEdited", Warning,
		"A fetch travels in clear text and could travel over TLS, but its text can't be edited safely.",
		validation,
	}
	ruleAddWithoutChecksum = Rule{
		"AddWithoutChecksum", Warning,
		"An ADD that moves to TLS has no --checksum: BuildKit follows a redirect from https to http.",
		validation,
	}
	ruleRuntimeClearText = Rule{
		"RuntimeClearText", Advisory,
		"A command that runs in the container, not in the build, uses clear text to a public host.",
		validation,
	}
	ruleUnparsedShell = Rule{
		"UnparsedShell", Advisory,
		"The command can't be read as shell and was searched word by word.",
		errorSupervision,
	}
	ruleMaskMismatch = Rule{
		"MaskMismatch", Warning,
		"The instruction's text can't be found in the file as BuildKit read it, so nothing in it is edited.",
		errorSupervision,
	}
	ruleUnusedIgnore = Rule{
		"UnusedIgnore", Advisory,
		"A comment that is meant to silence a rule does nothing.",
		documentation,
	}
)

// Rules returns all rules, worst first.
func Rules() []Rule {
	all := []Rule{
		ruleClearTextRefused,
		ruleAptUnguarded,
		ruleGuardTampering,
		ruleAptMayBeUnguarded,
		ruleNotEdited,
		ruleAddWithoutChecksum,
		ruleMaskMismatch,
		ruleClearTextFetch,
		ruleRuntimeClearText,
		ruleUnparsedShell,
		ruleUnusedIgnore,
	}
	for _, r := range checks.Rules() {
		all = append(all, Rule{r.Name, Severity(r.Severity), r.Description, r.Class})
	}
	slices.SortStableFunc(all, func(a, b Rule) int { return slices.Index(worst, a.Severity) - slices.Index(worst, b.Severity) })
	return all
}

var worst = []Severity{Blocker, Warning, Advisory}

// rules are the Rules by name.
var rules = sync.OnceValue(func() map[string]Rule {
	all := map[string]Rule{}
	for _, r := range Rules() {
		all[r.Name] = r
	}
	return all
})

func ruleNamed(name string) Rule { return rules()[name] }

func (r Rule) at(span Range, message string) Finding {
	return Finding{Rule: r.Name, Severity: r.Severity, Range: span, Message: message}
}

func clearTextFetch(span Range, f words.Fetch) Finding {
	out := ruleClearTextFetch.at(span, fmt.Sprintf("%s %s; fetch %s instead",
		route.Redact(f.URL), f.Decision.State(f.URL), route.Redact(f.Decision.To)))
	out.Edits = f.Edits
	return out
}

func clearTextRefused(span Range, f words.Fetch) Finding {
	return ruleClearTextRefused.at(span, fmt.Sprintf("%s %s: %s",
		route.Redact(f.URL), f.Decision.State(f.URL), f.Decision.Why))
}

// What helps, as a clause.
const (
	// RunApart is for where another command of the RUN is in the guard's way.
	RunApart = "run apt in a RUN of its own"
	// UseApt is for a program that takes apt's place.
	UseApt = "use apt-get"
)

// AptUnguardedMessage says that a RUN has no guard for apt, why, and what would
// help; both are clauses.
func AptUnguardedMessage(reason, why, out string) string {
	return fmt.Sprintf("%s, and its fetches are not moved to TLS: %s; %s, or accept it with LOOPX_APT=off", reason, why, out)
}

// GuardTamperingMessage is the message about an option of apt.
func GuardTamperingMessage(option string) string {
	return fmt.Sprintf("%s on apt's command line takes the place of what moves its fetches to TLS; take the option out, "+
		"or put other settings into a file of /etc/apt/apt.conf.d", route.RedactText(option))
}

func aptUnguarded(span Range, reason, why, out string, certain bool) Finding {
	r := ruleAptMayBeUnguarded
	if certain {
		r = ruleAptUnguarded
	}
	return r.at(span, AptUnguardedMessage(reason, why, out))
}

func guardTampering(span Range, option string) Finding {
	return ruleGuardTampering.at(span, GuardTamperingMessage(option))
}

func notEdited(span Range, f words.Fetch, why string) Finding {
	return ruleNotEdited.at(span, fmt.Sprintf("%s %s and isn't edited: %s; fetch %s instead",
		route.Redact(f.URL), f.Decision.State(f.URL), why, route.Redact(f.Decision.To)))
}

func addWithoutChecksum(span Range, f words.Fetch) Finding {
	return ruleAddWithoutChecksum.at(span, fmt.Sprintf("add --checksum=sha256:… for %s: BuildKit follows a redirect back to http",
		route.Redact(f.Decision.To)))
}

func runtimeClearText(span Range, url, instruction string) Finding {
	return ruleRuntimeClearText.at(span, fmt.Sprintf("%s uses %s in clear text when a container runs; it isn't edited",
		instruction, route.Redact(url)))
}

func unparsedShell(span Range, why string) Finding {
	return ruleUnparsedShell.at(span, "the command can't be read as shell and was searched word by word: "+why)
}

func maskMismatch(span Range) Finding {
	return ruleMaskMismatch.at(span, "the text differs from what BuildKit read, so nothing here is edited; please report this file")
}

func unusedIgnore(span Range, why string) Finding {
	return ruleUnusedIgnore.at(span, "this comment silences nothing: "+why)
}
