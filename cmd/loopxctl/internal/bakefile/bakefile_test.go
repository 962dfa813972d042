package bakefile

import (
	"encoding/json"
	"flag"
	"strings"
	"testing"
)

var _ = flag.Bool("update", false, "there are no goldens here")

func TestOf(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"Dockerfile":                  "root",
		"Dockerfile.dev":              "dev",
		"web.Dockerfile":              "web",
		"web.dockerfile":              "web",
		"services/a/Dockerfile":       "services-a",
		"services/a/Dockerfile-dev":   "services-a-dev",
		"services/a/Containerfile":    "services-a",
		"services/a/x.Dockerfile.dev": "services-a-x-dev",
		"services/v1.2/Dockerfile":    "services-v1-2",
		"a b/ü/${x}/Dockerfile":       "a-b-x",
		"-x/Dockerfile":               "x",
		"_x/Dockerfile":               "_x",
		"ü/Dockerfile":                "root",
		"x/build.df":                  "x-build-df",
	} {
		got := Of(file)
		if got != want || !IsName(got) {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	if got := OfFolder("ü"); got != "all" || OfFolder("a/b") != "a-b-all" {
		t.Error(got)
	}
}

func TestTake(t *testing.T) {
	t.Parallel()
	var n Names
	got := strings.Join([]string{n.Take("a"), n.Take("a-2"), n.Take("a"), n.Take("a"), n.Take("b")}, " ")
	if got != "a a-2 a-3 a-4 b" {
		t.Error(got)
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for in, want := range map[Template]string{
		"a":                                 `"a"`,
		"${FRONTEND}":                       `FRONTEND`,
		"${A}${B}":                          `"${A}${B}"`,
		`a-${replace(p, "/", "-")}"\`:       `"a-${replace(p, "/", "-")}\"\\"`,
		Literal(`${x} %{if} $x "q" \`):      `"$${x} %%{if} $x \"q\" \\"`,
		Literal("${") + "-" + "${platform}": `"$${-${platform}"`,
	} {
		if got := quote(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// TestJSON holds that a text that a log or a terminal obeys is only text.
func TestJSON(t *testing.T) {
	t.Parallel()
	f := File{Targets: []Target{{Name: "a", Context: Literal("\x1b[31m ##[group] ${x}")}}}
	var b strings.Builder
	if err := f.JSON(&b); err != nil {
		t.Fatal(err)
	}
	var doc jsonFile
	if err := json.Unmarshal([]byte(b.String()), &doc); err != nil || doc.Target["a"].Context != "\x1b[31m ##[group] $${x}" {
		t.Errorf("%v: %s", err, b.String())
	}
	if strings.ContainsAny(b.String(), "\x1b") || strings.Contains(b.String(), "##[") {
		t.Error(b.String())
	}
}
