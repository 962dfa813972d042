package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/report"
	"github.com/loopx/loopx-frontend/policy/ack"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// The documents below are the public shape of what the ack commands print.
type (
	ackDocument struct {
		SchemaVersion int    `json:"schema_version"`
		Command       string `json:"command"`
		File          string `json:"file"`
		// Repository and Source are set by "ack verify".
		Repository string             `json:"repository,omitempty"`
		Source     string             `json:"signers_from,omitempty"`
		Entries    []ackEntryDocument `json:"entries"`
	}
	ackEntryDocument struct {
		Line        int    `json:"line,omitempty"`
		Rule        string `json:"rule"`
		Fingerprint string `json:"fingerprint"`
		File        string `json:"file"`
		Instruction string `json:"instruction"`
		Occurrences int    `json:"occurrences"`
		Reason      string `json:"reason"`
		Principal   string `json:"principal"`
		Repository  string `json:"repository"`
		Created     string `json:"created"`
		Expires     string `json:"expires"`
		DaysLeft    int    `json:"days_left"`
		Signed      bool   `json:"signed"`
		Key         string `json:"key,omitempty"`
		// The rest is set by "ack verify".
		State  string `json:"state,omitempty"`
		Counts *bool  `json:"counts,omitempty"`
		Why    string `json:"why,omitempty"`
	}
)

func newAckEntry(e *ack.Entry, daysLeft int) ackEntryDocument {
	const layout = "2006-01-02T15:04:05Z"
	return ackEntryDocument{
		Line: e.Line, Rule: e.Rule, Fingerprint: e.Fingerprint, File: e.File,
		Instruction: e.Instruction, Occurrences: e.Occurrences,
		Reason: route.RedactText(e.Reason), Principal: e.Principal, Repository: e.Repository,
		Created: e.Created.Format(layout), Expires: e.Expires.Format(layout),
		DaysLeft: daysLeft, Signed: e.Signature != "",
	}
}

// verifyJSON writes the entries with their verdicts.
func (r *ackReport) verifyJSON(w io.Writer) error {
	doc := r.document("ack-verify")
	doc.Repository, doc.Source = r.trust.Repository, r.trust.Source
	for i, v := range r.verdicts {
		counts := v.State.Counts()
		d := &doc.Entries[i]
		d.State, d.Counts, d.Why, d.Key = string(v.State), &counts, route.RedactText(v.Why), v.Key
	}
	return plain.Encode(w, doc)
}

// listJSON writes the entries.
func (r *ackReport) listJSON(w io.Writer) error { return plain.Encode(w, r.document("ack-list")) }

func (r *ackReport) document(command string) *ackDocument {
	doc := &ackDocument{
		SchemaVersion: report.SchemaVersion, Command: command,
		File: r.file, Entries: make([]ackEntryDocument, 0, len(r.entries)),
	}
	for i := range r.entries {
		doc.Entries = append(doc.Entries, newAckEntry(&r.entries[i], r.verdicts[i].DaysLeft))
	}
	return doc
}

// printCreated shows what was signed, with which key, and what is left to do.
func (c *ackCreate) printCreated(name, key string, replaced bool) error {
	e := &c.entry
	days := int(e.Expires.Sub(e.Created).Hours()+23) / 24
	if c.format.value == "json" {
		entry := newAckEntry(e, days)
		entry.Key = key
		return plain.Encode(&c.out, ackDocument{
			SchemaVersion: report.SchemaVersion, Command: "ack-create", File: name, Entries: []ackEntryDocument{entry},
		})
	}
	var b strings.Builder
	done := "added"
	if replaced {
		done = "replaced"
	}
	b.WriteString(printable(name) + ": written, 1 acknowledgement " + done + "\n")
	for line := range strings.Lines(string(e.Payload())) {
		b.WriteString("    " + printable(strings.TrimSuffix(line, "\n")) + "\n")
	}
	b.WriteString("signed with " + key + "\n")
	_, err := io.WriteString(&c.out, b.String()+c.nextSteps(name))
	return err
}

// nextSteps says what makes the entry count.
func (c *ackCreate) nextSteps(name string) string {
	command := "check"
	if c.entry.Instruction == "" {
		command = "lens"
	}
	line := c.entry.SignerLine()
	if line == "" {
		line = "(the public key; ssh-keygen(1) describes the line in ALLOWED SIGNERS)"
	}
	return fmt.Sprintf(`
Commit %s with the change. It counts where whoever checks trusts the
signer. For that, this line belongs into .loopx/allowed_signers on the protected branch, or
into allowed_signers in a folder of the operator's; never into this change:
    %s
Then: loopxctl %s --trusted-ref origin/main (or --policy FOLDER)
`, printable(name), printable(line), command)
}
