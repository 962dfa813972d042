package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// ackReport is what "ack verify" and "ack list" show.
type ackReport struct {
	file     string
	trust    ack.Trust
	entries  []ack.Entry
	verdicts []ack.Verdict
}

// printable makes text fit for a terminal and free of userinfo.
func printable(s string) string { return plain.Text(route.RedactText(s)) }

// sort puts those that end first at the top.
func (r *ackReport) sort() {
	order := make([]int, len(r.entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return r.entries[a].Expires.Compare(r.entries[b].Expires) })
	entries, verdicts := slices.Clone(r.entries), slices.Clone(r.verdicts)
	for to, from := range order {
		r.entries[to], r.verdicts[to] = entries[from], verdicts[from]
	}
}

// line is "FILE:LINE: state: who, until when, why [Rule]" of an entry.
func (r *ackReport) line(i int, p paint.Painter) string {
	e, v := &r.entries[i], r.verdicts[i]
	return fmt.Sprintf("%s %s %s %s", p.Bold(printable(fmt.Sprintf("%s:%d:", r.file, e.Line))),
		paintState(p, v), printable(sentence(e, v)), p.Faint(printable("["+e.Rule+"]")))
}

// verifyText writes the line of each entry, and a sum.
func (r *ackReport) verifyText(w io.Writer, p paint.Painter) error {
	var b strings.Builder
	counted := 0
	for i, v := range r.verdicts {
		if v.State.Counts() {
			counted++
		}
		b.WriteString(r.line(i, p) + "\n")
	}
	fmt.Fprintf(&b, "%s: %s, %d of which %s\n", printable(r.file), count(len(r.entries), "acknowledgement", "acknowledgements"), counted, countVerb(counted))
	fmt.Fprintf(&b, "signers: %s\n", printable(cmp.Or(r.trust.Source, "none given: name them with --policy, --allowed-signers or --trusted-ref")))
	_, err := io.WriteString(w, b.String())
	return err
}

func countVerb(n int) string {
	if n == 1 {
		return "counts"
	}
	return "count"
}

func paintState(p paint.Painter, v ack.Verdict) string {
	text := strings.ReplaceAll(string(v.State), "_", " ") + ":"
	switch {
	case !v.State.Counts():
		return p.Red(text)
	case v.State == ack.Expiring || v.Unsigned:
		return p.Yellow(text)
	}
	return p.Green(text)
}

// sentence says what an entry lifts and, if it has one, what is wrong with it.
func sentence(e *ack.Entry, v ack.Verdict) string {
	what := policy.ShortFingerprint(e.Fingerprint)
	if e.File != "" {
		what += " in " + e.File
	}
	if !v.State.Counts() {
		return fmt.Sprintf("%s, by %s: %s", what, e.Principal, v.Why)
	}
	how := "by " + e.Principal
	if v.Unsigned {
		how += ", without a signature (allowed by the trusted policy)"
	}
	text := fmt.Sprintf("%s, %s, until %s (%s left): %s", what, how,
		e.Expires.Format(time.DateOnly), count(v.DaysLeft, "day", "days"), e.Reason)
	if v.Why != "" {
		text += "; " + v.Why
	}
	return text
}

// listText writes a table.
func (r *ackReport) listText(w io.Writer, p paint.Painter) error {
	if len(r.entries) == 0 {
		_, err := fmt.Fprintf(w, "%s: no acknowledgements\n", printable(r.file))
		return err
	}
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "EXPIRES\tLEFT\tRULE\tFINDING\tFILE\tBY\tREASON")
	for i := range r.entries {
		e, by := &r.entries[i], r.entries[i].Principal
		if e.Signature == "" {
			by += " (not signed)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", e.Expires.Format(time.DateOnly), left(r.verdicts[i]),
			printable(e.Rule), printable(policy.ShortFingerprint(e.Fingerprint)), printable(e.File), printable(by), printable(strings.Join(strings.Fields(e.Reason), " ")))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	head, rest, _ := strings.Cut(b.String(), "\n")
	_, err := fmt.Fprintf(w, "%s\n%s", p.Bold(head), rest)
	return err
}

func left(v ack.Verdict) string {
	if v.DaysLeft == 0 {
		return "expired"
	}
	return fmt.Sprintf("%dd", v.DaysLeft)
}
