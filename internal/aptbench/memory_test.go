package aptbench

import (
	"fmt"
	"os"
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
// whose program is called comm. A small archive may be there before the process
// was seen: then it tries again.
func peak(b *testing.B, apt *aptbed.Apt, all, comm string) float64 {
	b.Helper()
	for range 20 {
		apt.Shell("rm -f /var/cache/apt/archives/*.deb")
		cmd := apt.Command("apt-get", "-qq", "-y", "--download-only", "install", all)
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		most, err := watch(cmd.Process.Pid, comm, done)
		if err != nil {
			b.Fatalf("apt-get: %v", err)
		}
		if most > 0 {
			return most
		}
	}
	b.Fatalf("no process called %s was seen", comm)
	return 0
}

// watch returns the largest peak of a process's children called comm until done
// says how that process ended.
func watch(pid int, comm string, done <-chan error) (most float64, err error) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return most, err
		case <-tick.C:
			most = max(most, highest(pid, comm))
		}
	}
}

// highest returns the largest peak so far of a process's children called comm,
// in MB; 0 if there is none.
func highest(pid int, comm string) float64 {
	most := 0.0
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	for child := range strings.FieldsSeq(string(children)) {
		text, err := os.ReadFile("/proc/" + child + "/status")
		if err != nil {
			continue // it has ended
		}
		var kb float64
		if status := string(text); field(status, "Name") == comm {
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
