package buildcheck

import (
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/rewrite"
)

// classes are those of BuildKit's rules (frontend/dockerfile/linter/ruleset.go,
// v0.34.2); a test holds that none is missing.
var classes = map[string]policy.Class{
	"StageNameCasing":                 policy.Complexity,
	"FromAsCasing":                    policy.Complexity,
	"NoEmptyContinuation":             policy.ReleaseCompatibility, // will be an error
	"ConsistentInstructionCasing":     policy.Complexity,
	"DuplicateStageName":              policy.Correctness,
	"ReservedStageName":               policy.Correctness,
	"JSONArgsRecommended":             policy.ErrorSupervision, // the shell swallows signals
	"MaintainerDeprecated":            policy.ReleaseCompatibility,
	"UndefinedArgInFrom":              policy.Correctness,
	"WorkdirRelativePath":             policy.Correctness,
	"UndefinedVar":                    policy.Correctness,
	"MultipleInstructionsDisallowed":  policy.Correctness,
	"LegacyKeyValueFormat":            policy.ReleaseCompatibility,
	"InvalidBaseImagePlatform":        policy.Correctness,
	"RedundantTargetPlatform":         policy.Complexity,
	"SecretsUsedInArgOrEnv":           policy.SecurityPrivacy,
	"InvalidDefaultArgInFrom":         policy.Correctness,
	"FromPlatformFlagConstDisallowed": policy.ReleaseCompatibility,
	"CopyIgnoredFile":                 policy.Correctness,
	"InvalidDefinitionDescription":    policy.Documentation,
	"ExposeProtoCasing":               policy.Complexity,
	"ExposeInvalidFormat":             policy.Correctness,
}

// dockerRules is where the pages of Docker's own rules are.
const dockerRules = "https://docs.docker.com/"

// classify returns the class and the severity of a warning. A rule of this
// project keeps its own. Another rule that is not known counts as
// correctness, if Docker's documentation has it; a frontend of somebody else
// may have rules about security, so those count as that.
func classify(w Warning) (policy.Class, policy.Severity) {
	if class, ok := classes[w.RuleName]; ok {
		return class, policy.Warning
	}
	for _, r := range rewrite.Rules() {
		if r.Name == w.RuleName {
			return policy.Class(r.Class), policy.Severity(r.Severity)
		}
	}
	if strings.HasPrefix(w.URL, dockerRules) {
		return policy.Correctness, policy.Warning
	}
	return policy.SecurityPrivacy, policy.Warning
}
