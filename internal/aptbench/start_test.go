package aptbench

import (
	"bufio"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/internal/aptbed"
)

// startRounds is larger than fetchRounds: a start takes milliseconds.
const startRounds = 101

// stockMethod is apt's own.
const stockMethod = "/usr/lib/apt/methods/http"

// BenchmarkStart measures a method's process from its start, through the message
// that it sends unasked (100 Capabilities), to its end after stdin was closed.
// apt starts each method twice, the first time for that message alone.
//
// Metrics: see compare, in milliseconds. The bar: ours/http 1.0.
func BenchmarkStart(b *testing.B) {
	start := func(path string) func() float64 {
		return func() float64 {
			begin := time.Now()
			startOnce(b, path)
			return float64(time.Since(begin).Microseconds()) / 1e3
		}
	}
	compare(b, "ms", rounds(startRounds), side{"http", start(stockMethod)}, side{"ours", start(aptbed.Method(b))})
}

func startOnce(b *testing.B, path string) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), path)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	first := ""
	for lines := bufio.NewScanner(stdout); lines.Scan() && lines.Text() != ""; {
		if first == "" {
			first = lines.Text()
		}
	}
	if !strings.HasPrefix(first, "100 ") {
		b.Errorf("%s begins with %q", path, first)
	}
	stdin.Close()
	// apt's own ends with 100 when apt is gone, ours with 0.
	if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() != 100 {
		b.Errorf("%s: %v", path, err)
	}
}
