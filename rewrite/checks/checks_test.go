package checks_test

import (
	"flag"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/loopx/loopx-frontend/rewrite"
	"github.com/loopx/loopx-frontend/rewrite/checks"
)

var _ = flag.Bool("update", false, "no goldens here")

func plan(t *testing.T, text string) *rewrite.Plan {
	t.Helper()
	p, err := rewrite.New([]byte(text), rewrite.Config{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return p
}

// of returns the findings of a rule.
func of(p *rewrite.Plan, rule string) []rewrite.Finding {
	return slices.DeleteFunc(slices.Clone(p.Findings), func(f rewrite.Finding) bool { return f.Rule != rule })
}

var instruction = regexp.MustCompile(`^(?:[A-Z]+ |#)`)

// TestCases reads testdata/RULE.txtar: the findings of the rule in the file bad
// and in the file good, its twins without one.
func TestCases(t *testing.T) {
	for _, r := range checks.Rules() {
		t.Run(r.Name, func(t *testing.T) {
			ar, err := txtar.ParseFile("testdata/" + r.Name + ".txtar")
			if err != nil {
				t.Fatal(err)
			}
			in := map[string]string{}
			for _, f := range ar.Files {
				in[f.Name] = string(f.Data)
			}
			lines := map[int]bool{}
			for _, f := range of(plan(t, in["bad"]), r.Name) {
				lines[f.Range.Start.Line] = true
			}
			checkBad(t, r.Name, in["bad"], lines)
			for _, f := range of(plan(t, in["good"]), r.Name) {
				t.Errorf("good, line %d: %s\n%s", f.Range.Start.Line, f.Message, strings.Split(in["good"], "\n")[f.Range.Start.Line-1])
			}
		})
	}
}

// checkBad wants a finding in each instruction but a FROM that is there only to
// be a base.
func checkBad(t *testing.T, rule, text string, found map[int]bool) {
	t.Helper()
	all := strings.Split(text, "\n")
	for i := 0; i < len(all); i++ {
		from, first := i, all[i]
		if !instruction.MatchString(first) || strings.HasPrefix(first, "FROM") && rule != "EndOfLifeBase" ||
			rule == "MisplacedDirective" && first[0] != '#' {
			continue
		}
		if strings.Contains(first, "<<EOF") {
			for all[i] != "EOF" {
				i++
			}
		}
		ok := false
		for n := from; n <= i; n++ {
			ok = ok || found[n+1]
		}
		if !ok {
			t.Errorf("no finding: %s", strings.Join(all[from:i+1], "\n"))
		}
	}
}

// TestRule holds what a rule says about itself.
func TestRule(t *testing.T) {
	for _, r := range checks.Rules() {
		t.Run(r.Name, func(t *testing.T) {
			if n := len(sentence.FindAllString(r.Why+" ", -1)); n != 2 {
				t.Errorf("why has %d sentences: %s", n, r.Why)
			}
			bad := of(plan(t, r.Bad), r.Name)
			if len(bad) != 1 {
				t.Errorf("bad has %d findings", len(bad))
			}
			if good := of(plan(t, r.Good), r.Name); len(good) > 0 {
				t.Errorf("good: %+v", good)
			}
			if (r.Fixed != "") != (len(bad) == 1 && len(bad[0].Fix) > 0) {
				t.Errorf("fixed is %q, the findings are %+v", r.Fixed, bad)
			}
			if text, _ := plan(t, r.Bad).Fixed(); r.Fixed != "" && string(text) != r.Fixed {
				t.Errorf("fixed to %q, want %q", text, r.Fixed)
			}
		})
	}
}

var sentence = regexp.MustCompile(`[a-z0-9)\]/]\. `)

// TestSecretsAreNotPrinted holds that no message has a value that may be a
// secret.
func TestSecretsAreNotPrinted(t *testing.T) {
	secrets := []string{"q7Rw2m", "Tr0ub4dor", "AKIAQ7"}
	for _, text := range []string{
		"ENV API_KEY=q7Rw2mZx9Kd41LpNvB\n",
		"RUN API_TOKEN=q7Rw2mZx9Kd41LpNvB curl -kuadmin:Tr0ub4dor-3 https://a.corp.com/\n",
		"RUN curl -k -u admin:Tr0ub4dor-3 https://robot:q7Rw2mZx9K@a.corp.com/i.sh | sh\n",
		"RUN git config --global http.https://robot:q7Rw2mZx9K@a.corp.com/.sslVerify false\n",
		"RUN pip install --trusted-host=q7Rw2mZx9K --extra-index-url https://robot:q7Rw2mZx9K@a.corp.com/ x>=1\n",
		"RUN echo \"deb [trusted=yes] https://robot:q7Rw2mZx9K@a.corp.com/ ./\" >/etc/apt/sources.list\n",
		"RUN add-apt-repository \"deb [trusted=yes] https://robot:q7Rw2mZx9K@a.corp.com/ ./\"\n",
		"RUN wget https://robot:q7Rw2mZx9K@a.corp.com/q7Rw2m.tgz && tar xf q7Rw2m.tgz\n",
		"ADD https://robot:q7Rw2mZx9K@a.corp.com/x /x\n",
		"ENV GIT_SSL_NO_VERIFY=Tr0ub4dor-3\nENV ID=AKIAQ7RW2MZX5KLDPNVB\n",
	} {
		p := plan(t, "FROM scratch\n"+text)
		if len(p.Findings) == 0 {
			t.Errorf("no finding: %s", text)
		}
		for _, f := range p.Findings {
			for _, s := range secrets {
				if strings.Contains(f.Message, s) {
					t.Errorf("%s: %s", f.Rule, f.Message)
				}
			}
		}
	}
}
