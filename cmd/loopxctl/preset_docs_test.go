package main

import (
	"os"
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/preset"
	"github.com/loopx/loopx-frontend/policy/preset/render"
)

// TestPresetPage holds that the page has a row for each preset, trigger, check, mode,
// target and key, and that the section that it shows is one.
func TestPresetPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/presets.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	names := preset.IDs(preset.Builtin())
	names = append(names, texts(preset.Triggers())...)
	names = append(names, texts(preset.Checks())...)
	names = append(names, texts(preset.Modes())...)
	names = append(names, texts(render.Targets())...)
	_, err = config.Parse("", []byte("presets: {dependency-sweeper: {nothing: 1}}"))
	_, keys, ok := strings.Cut(err.Error(), "known are: ")
	if !ok {
		t.Fatal(err)
	}
	for _, name := range append(names, strings.Split(keys, ", ")...) {
		if !strings.Contains(page, "\n| `"+name+"` | ") {
			t.Errorf("no table has a row for %s", name)
		}
	}
	_, example, _ := strings.Cut(page, "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	if c, err := config.Parse(config.File, []byte(example)); err != nil || c.Presets == nil {
		t.Error(err)
	}
}
