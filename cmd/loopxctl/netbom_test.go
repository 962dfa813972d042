package main

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestNetbomDocs holds that docs/netbom.md shows what the script netbom.txtar
// compares with.
func TestNetbomDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/netbom.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := txtar.ParseFile("testdata/script/netbom.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range script.Files {
		if f.Name == "shown" && strings.Contains(string(page), "```text\n"+string(f.Data)+"```\n") {
			return
		}
	}
	t.Error("docs/netbom.md shows something else")
}
