package policy

import "testing"

func finding() Finding {
	return Finding{
		Rule: "hard-coded-credential", Class: SecurityPrivacy, Severity: Blocker, Message: "remove the password",
		Location: &Location{File: "app/Dockerfile", Start: Position{3, 1}, End: Position{3, 20}},
		Evidence: "ENV  DB=http://user:one@db.example/x",
		Tool:     Tool{"scanner", "1.0"},
	}
}

// golden is the fingerprint of [finding]. It must never change: every
// acknowledgement holds one.
const golden = "cccf400e968e82ff32677a2881ca6d3134261d62dce40f31a455ce83f802d7a4"

func TestFingerprintIsStable(t *testing.T) {
	t.Parallel()
	same := map[string]func(*Finding){
		"nothing changed":    func(*Finding) {},
		"lines moved":        func(f *Finding) { f.Location.Start, f.Location.End = Position{90, 7}, Position{91, 2} },
		"white space":        func(f *Finding) { f.Evidence = "\tENV DB=http://user:one@db.example/x\r\n" },
		"another password":   func(f *Finding) { f.Evidence = "ENV DB=http://other:two@db.example/x" },
		"an update":          func(f *Finding) { f.Tool.Version = "2.0" },
		"the path's form":    func(f *Finding) { f.Location.File = `.\app\Dockerfile` },
		"message, with text": func(f *Finding) { f.Message = "other words" },
		"what is judged":     func(f *Finding) { f.Severity, f.Class, f.Tags = Warning, Correctness, []string{"x"} },
		"a fingerprint":      func(f *Finding) { f.Fingerprint = "made up" },
	}
	for name, change := range same {
		f := finding()
		change(&f)
		if got := Fingerprint(f); got != golden {
			t.Errorf("%s: %s, want %s", name, got, golden)
		}
	}
	other := map[string]func(*Finding){
		"tool":     func(f *Finding) { f.Tool.Name = "other" },
		"rule":     func(f *Finding) { f.Rule = "other" },
		"file":     func(f *Finding) { f.Location.File = "Dockerfile" },
		"no file":  func(f *Finding) { f.Location = nil },
		"evidence": func(f *Finding) { f.Evidence = "ENV OTHER=http://user:one@db.example/x" },
		"none":     func(f *Finding) { f.Evidence = "" },
		"shifted":  func(f *Finding) { f.Tool.Name, f.Rule = "scannerhard", "-coded-credential" },
	}
	seen := map[string]string{golden: "the first"}
	for name, change := range other {
		f := finding()
		change(&f)
		got := Fingerprint(f)
		if seen[got] != "" {
			t.Errorf("%s has the fingerprint of %s", name, seen[got])
		}
		seen[got] = name
	}
}
