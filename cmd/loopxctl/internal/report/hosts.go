package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/paint"
	"github.com/loopx/loopx-frontend/policy/plain"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

// Query is one address and what was decided about it.
type Query struct {
	URL      string
	Decision route.Decision
}

// Hosts is the answer of "loopxctl hosts": the tables, or what they say about
// the queries.
type Hosts struct {
	DataDate string
	Queries  []Query
	Archives []route.ArchiveRow
	Hosts    []route.HostRow
	Local    []route.LocalRow
}

// The public shape of [Hosts.JSON].
type (
	hostsDocument struct {
		SchemaVersion int               `json:"schema_version"`
		Command       string            `json:"command"`
		DataDate      string            `json:"data_date"`
		Queries       []queryDocument   `json:"queries"`
		Archives      []archiveDocument `json:"archives"`
		Hosts         []hostDocument    `json:"hosts"`
		Local         []localDocument   `json:"local"`
	}
	queryDocument struct {
		URL      string   `json:"url"`
		Decision Decision `json:"decision"`
	}
	archiveDocument struct {
		Archive string `json:"archive"`
		Host    string `json:"host"`
		Path    string `json:"path"`
		TLS     string `json:"tls"`
		Target  string `json:"target,omitempty"`
		Date    string `json:"date"`
		Source  string `json:"source"`
	}
	hostDocument struct {
		Scheme string `json:"scheme"`
		Host   string `json:"host"`
		Path   string `json:"path"`
		TLS    string `json:"tls"`
		Target string `json:"target,omitempty"`
		Date   string `json:"date"`
		Source string `json:"source"`
	}
	localDocument struct {
		Name   string `json:"name,omitempty"`
		Net    string `json:"net,omitempty"`
		Rule   string `json:"rule"`
		What   string `json:"what"`
		Source string `json:"source"`
	}
)

// JSON writes h as one document.
func (h *Hosts) JSON(w io.Writer) error {
	return plain.Encode(w, hostsDocument{
		SchemaVersion: SchemaVersion, Command: "hosts", DataDate: h.DataDate,
		Queries: each(h.Queries, func(q Query) queryDocument {
			return queryDocument{route.Redact(q.URL), NewDecision(q.Decision)}
		}),
		Archives: each(h.Archives, func(r route.ArchiveRow) archiveDocument {
			return archiveDocument{r.Archive, r.Host, r.Path, string(r.TLS), r.Target, r.Date, r.Source}
		}),
		Hosts: each(h.Hosts, func(r route.HostRow) hostDocument {
			return hostDocument{r.Scheme, r.Host, r.Path, string(r.TLS), r.Target, r.Date, r.Source}
		}),
		Local: each(h.Local, func(r route.LocalRow) localDocument {
			doc := localDocument{Name: r.Name, Rule: r.Rule, What: r.What, Source: r.Source}
			if r.Net.IsValid() {
				doc.Net = r.Net.String()
			}
			return doc
		}),
	})
}

// Text writes the queries' decisions and then the rows, in columns.
func (h *Hosts) Text(w io.Writer, p paint.Painter) error {
	var b strings.Builder
	for _, q := range h.Queries {
		fmt.Fprintf(&b, "%s\n", p.Bold(safe(route.Redact(q.URL))))
		ExplainDecision(&b, q.Decision, p)
	}
	if len(h.Archives) > 0 {
		h.archives(&b, p)
	}
	if len(h.Hosts) > 0 {
		h.hosts(&b, p)
	}
	if len(h.Local) > 0 {
		h.local(&b, p)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (h *Hosts) archives(b *strings.Builder, p paint.Painter) {
	title(b, p, "Archives, as --mirror and LOOPX_<ARCHIVE>_MIRROR name them (data of "+h.DataDate+")")
	rows := [][]string{{"ARCHIVE", "NAMED AS", "TLS", "FETCHED FROM", "DATE", "SOURCE"}}
	for _, r := range h.Archives {
		rows = append(rows, []string{r.Archive, r.Host + r.Path, string(r.TLS), orDash(r.Target), r.Date, r.Source})
	}
	columns(b, rows)
}

func (h *Hosts) hosts(b *strings.Builder, p paint.Painter) {
	title(b, p, "Hosts (data of "+h.DataDate+"); a public host without a row is upgraded too")
	rows := [][]string{{"NAMED AS", "TLS", "FETCHED FROM", "DATE", "SOURCE"}}
	for _, r := range h.Hosts {
		target := r.Target
		if target == "" && r.TLS != route.TLSNo {
			target = "the same, over https"
		}
		rows = append(rows, []string{r.Scheme + "://" + r.Host + r.Path, string(r.TLS), orDash(target), r.Date, r.Source})
	}
	columns(b, rows)
}

func (h *Hosts) local(b *strings.Builder, p paint.Painter) {
	title(b, p, "Not public: clear text is kept, unless a host rule says otherwise")
	rows := [][]string{{"NAME OR RANGE", "RULE", "WHAT", "SOURCE"}}
	for _, r := range h.Local {
		name := r.Name
		if r.Net.IsValid() {
			name = r.Net.String()
		}
		rows = append(rows, []string{name, r.Rule, r.What, r.Source})
	}
	columns(b, rows)
}

// title begins a table, with an empty line before all but the first.
func title(b *strings.Builder, p paint.Painter, text string) {
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(p.Bold(text) + "\n")
}

// columns aligns rows, whose first is the header.
func columns(b *strings.Builder, rows [][]string) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, "  "+strings.Join(row, "\t"))
	}
	_ = t.Flush() // a strings.Builder takes everything
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
