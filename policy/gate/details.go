package gate

import (
	"fmt"
	"slices"

	"github.com/loopx/loopx-frontend/policy"
)

// passed, failed, unproved and spared end a check.

func passed(name, format string, args ...any) Check {
	return Check{Name: name, Status: Pass, Reason: said(format, args)}
}

func failed(name, todo, format string, args ...any) Check {
	return Check{Name: name, Status: Fail, Reason: said(format, args), Todo: todo}
}

func unproved(name, todo, format string, args ...any) Check {
	return Check{Name: name, Status: Unprovable, Reason: said(format, args), Todo: todo}
}

func spared(name, format string, args ...any) Check {
	return Check{Name: name, Status: NotApplicable, Reason: said(format, args)}
}

// said is a line of text, free of secrets.
func said(format string, args []any) string { return policy.Line(fmt.Sprintf(format, args...)) }

// with adds what stands behind the reason.
func (c Check) with(details []string) Check {
	c.Details = bounded(details)
	return c
}

// secretly adds what stands behind the reason and is no public text.
func (c Check) secretly(details []string) Check {
	c.Private = bounded(details)
	return c
}

// bounded are lines, each once, and not too many.
func bounded(details []string) []string {
	seen := map[string]bool{}
	var all []string
	for _, d := range details {
		if d = policy.Line(d); !seen[d] {
			seen[d] = true
			all = append(all, d)
		}
	}
	if n := len(all) - MaxDetails; n > 0 {
		all = append(slices.Clone(all[:MaxDetails]), fmt.Sprintf("and %d more", n))
	}
	return all
}

// number is "no notice", "1 notice", "2 notices".
func number(n int, one, many string) string {
	switch n {
	case 0:
		return "no " + one
	case 1:
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
