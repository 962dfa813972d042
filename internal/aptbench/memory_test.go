package aptbench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopx/loopx-frontend/internal/aptbed"
	"github.com/loopx/loopx-frontend/internal/relay"
)

// BenchmarkMemory measures the peak resident memory (VmHWM) of our method while
// apt downloads 300 packages, 138 MB: the median of five runs, on loopback and at
// a round-trip time of 20 ms, where the method may choose HTTP/2.
//
// Metrics: ours-peak-MB, the bar is 64, and http-peak-MB for apt's own, in 2²⁰
// bytes.
func BenchmarkMemory(b *testing.B) {
	for _, c := range []struct {
		name string
		net  relay.Options
	}{{"loopback", relay.Options{}}, {"rtt20ms", relay.Options{Delay: 10 * time.Millisecond}}} {
		b.Run(c.name, func(b *testing.B) {
			a := newArchive(b, 300, 138e6, true)
			if c.net != (relay.Options{}) {
				a.moveAway(b, c.net)
			}
			for b.Loop() {
				a.reportPeak(b, "http", "")
				a.reportPeak(b, "method", aptbed.Method(b))
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// reportPeak reports the peak of a method, whose program is called comm.
func (a *archive) reportPeak(b *testing.B, comm, method string) {
	b.Helper()
	apt := a.apt(b, "http", method)
	var peaks []float64
	for range rounds(5) {
		peaks = append(peaks, peak(b, apt, a.repo.All(), comm))
	}
	name := "http"
	if method != "" {
		name = "ours"
	}
	b.ReportMetric(quantile(peaks, 0.5), name+"-peak-MB")
}

// peak downloads all packages and returns the peak of apt's child processes
// whose program is called comm.
func peak(b *testing.B, apt *aptbed.Apt, all, comm string) float64 {
	b.Helper()
	apt.Shell("rm -f /var/cache/apt/archives/*.deb")
	cmd := apt.Command("apt-get", "-qq", "-y", "--download-only", "install", all)
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	most := 0.0
	for tick := time.NewTicker(2 * time.Millisecond); ; {
		select {
		case err := <-done:
			tick.Stop()
			if err != nil || most == 0 {
				b.Fatalf("apt-get: %v; a peak of %v", err, most)
			}
			return most
		case <-tick.C:
			most = max(most, highest(cmd.Process.Pid, comm))
		}
	}
}

// highest returns the largest peak so far of the processes called comm whose
// parent is ppid, in MB; 0 if there is none.
func highest(ppid int, comm string) float64 {
	most := 0.0
	paths, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		status := string(text)
		var kb float64
		if field(status, "Name") == comm && field(status, "PPid") == fmt.Sprint(ppid) {
			fmt.Sscanf(field(status, "VmHWM"), "%f kB", &kb)
		}
		most = max(most, kb/1024)
	}
	return most
}

// field returns a value of /proc/PID/status.
func field(status, name string) string {
	_, rest, _ := strings.Cut("\n"+status, "\n"+name+":")
	value, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(value)
}
