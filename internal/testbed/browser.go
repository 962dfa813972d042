package testbed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Shown is a page as a browser showed it.
type Shown struct {
	// DOM is the page's document after it was loaded, as text.
	DOM string
	// Picture is the path of a PNG of it.
	Picture string
	// Asked are the addresses that the page wanted to be loaded, itself left out.
	Asked []string
}

// Browse shows the page at path in headless Chromium, in a window of a width and
// a height in pixels. Scripts are off, and no name leads anywhere.
func Browse(t TB, path string, width, height int) Shown {
	t.Helper()
	dir := t.TempDir()
	preferences := filepath.Join(dir, "profile", "Default", "Preferences")
	if err := writeFile(preferences, []byte(`{"profile":{"default_content_setting_values":{"javascript":2}}}`), 0o644); err != nil {
		t.Fatalf("testbed: %v", err)
	}
	log := filepath.Join(dir, "net.json")
	s := Shown{Picture: filepath.Join(dir, "page.png")}
	show := func(args ...string) []byte {
		args = append([]string{
			"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
			"--user-data-dir=" + filepath.Join(dir, "profile"), fmt.Sprintf("--window-size=%d,%d", width, height),
			"--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=2000",
		}, args...)
		return must[[]byte](t, "chromium")(outputOf(exec.CommandContext(t.Context(), "chromium", append(args, "file://"+path)...)))
	}
	s.DOM = string(show("--dump-dom", "--log-net-log="+log))
	show("--screenshot=" + s.Picture)
	s.Asked = must[[]string](t, "chromium's log")(askedBy(log))
	return s
}

// outputOf runs a command; the error has what it said.
func outputOf(cmd *exec.Cmd) ([]byte, error) {
	var diag bytes.Buffer
	cmd.Stderr = &diag
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, diag.Bytes())
	}
	return out, err
}

// askedBy reads Chromium's network log for the requests of pages. The browser's
// own (updates, the time) have no origin.
func askedBy(log string) ([]string, error) {
	data, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Constants struct {
			LogEventTypes map[string]int `json:"logEventTypes"`
		} `json:"constants"`
		Events []struct {
			Type   int
			Params json.RawMessage
		} `json:"events"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	start, ok := doc.Constants.LogEventTypes["URL_REQUEST_START_JOB"]
	if !ok {
		return nil, fmt.Errorf("%s knows no requests", log)
	}
	var asked []string
	for _, e := range doc.Events {
		var p struct{ Initiator, URL string }
		if e.Type != start || json.Unmarshal(e.Params, &p) != nil {
			continue
		}
		if p.URL != "" && p.Initiator != "not an origin" {
			asked = append(asked, p.URL)
		}
	}
	return asked, nil
}
