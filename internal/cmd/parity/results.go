package main

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
)

// Outcomes of a test, as the testing package writes them.
const (
	passed  = "PASS"
	failed  = "FAIL"
	skipped = "SKIP"
	missing = ""
)

// results are what the tests of one run came to.
type results struct {
	outcomes map[string]string   // by the name of the test
	failures map[string][]string // its failed subtests, by the name of the test
}

func newResults() results {
	return results{outcomes: map[string]string{}, failures: map[string][]string{}}
}

// outcomeLine is what `-test.v` prints when a test ends. The name of one of
// BuildKit's tests is followed by the worker and by the values of its matrix,
// that of a subtest by its own.
var outcomeLine = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): TestIntegration/` +
	`(Test\w+/worker=\w+(?:/(?:env|frontend|network\.host|security\.insecure)=\w+)+)(?:/(\S+))? \(`)

// add reads a line of a test binary's output. It returns the name of the test
// whose end the line tells, "" for another line.
func (r results) add(line string) string {
	m := outcomeLine.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	outcome, test, part := m[1], m[2], m[3]
	switch {
	case part == "":
		r.outcomes[test] = outcome
		return test
	case outcome == failed:
		r.failures[test] = append(r.failures[test], part)
	}
	return ""
}

func (r results) count(outcome string) int {
	n := 0
	for _, o := range r.outcomes {
		if o == outcome {
			n++
		}
	}
	return n
}

// String is the summary row.
func (r results) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", r.count(passed), r.count(failed), r.count(skipped))
}

// difference is one that is meant to be.
type difference struct {
	test   string
	parts  []string // the subtests that fail on ours, sorted
	reason string
}

// differences are tests that ours is meant to fail.
type differences []difference

// intended returns the differences by design. docs/parity.md tells of them at
// length.
func intended(o options) (list differences) {
	if o.checks == "" {
		list = append(list, difference{
			test:   "TestErrorsSourceMap/worker=oci/frontend=gateway",
			parts:  []string{"invalidsyntax"},
			reason: "a syntax line that names another frontend is not followed, so that what it names is not looked up",
		})
	}
	if o.checks != "" || o.apt != "" {
		const reason = "a build argument of ours stands in the provenance too"
		list = append(list, difference{
			test:   "TestProvenanceAttestation/worker=oci/env=simple/frontend=gateway",
			parts:  []string{"#00", "max", "v0.2", "v0.2-max", "v1", "v1-max"}, // those that have it in full
			reason: reason,
		}, difference{
			test:   "TestMultiPlatformProvenance/worker=oci/frontend=gateway",
			reason: reason,
		})
	}
	if o.apt == "all" {
		list = append(list, difference{
			test:   "TestSecretSSHProvenance/worker=oci/frontend=gateway",
			reason: "a guarded RUN takes a secret with credentials for mirrors, if there is one",
		})
	}
	return list
}

// report prints the tests whose outcomes differ and those that fail on both. It
// returns whether ours is behind: there is a test that only stock passes, and the
// difference is not intended, or one is intended that there isn't.
func report(w io.Writer, known differences, stock, ours results) (behind bool) {
	names := maps.Clone(stock.outcomes)
	maps.Copy(names, ours.outcomes)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		s, o := stock.outcomes[name], ours.outcomes[name]
		reason := known.reason(name, ours.failures[name])
		switch {
		case reason != "" && s == passed && o == failed:
			fmt.Fprintf(w, "intended: %s: %s\n", name, reason)
		case s == passed && o != passed:
			fmt.Fprintf(w, "BEHIND: stock %s, ours %s: %s %q\n", orMissing(s), orMissing(o), name, ours.failures[name])
			behind = true
		case known.has(name) && o == passed:
			fmt.Fprintf(w, "BEHIND: no longer a difference, take it from the list: %s\n", name)
			behind = true
		case s != o || s == failed:
			fmt.Fprintf(w, "stock %s, ours %s: %s\n", orMissing(s), orMissing(o), name)
		}
	}
	return behind
}

func (d differences) has(test string) bool {
	return slices.ContainsFunc(d, func(d difference) bool { return d.test == test })
}

// reason returns why a test is meant to fail on ours in just these subtests, or
// "".
func (d differences) reason(test string, parts []string) string {
	for _, d := range d {
		if d.test == test && slices.Equal(d.parts, slices.Sorted(slices.Values(parts))) {
			return d.reason
		}
	}
	return ""
}

func orMissing(outcome string) string {
	if outcome == missing {
		return "not run"
	}
	return outcome
}
