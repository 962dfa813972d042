package aptmethod_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/loopx/loopx-frontend/internal/aptbed"
	"github.com/loopx/loopx-frontend/internal/aptrepo"
	"github.com/loopx/loopx-frontend/internal/testbed"
)

// TestAptMemory hands the method 300 packages at once and reads, when the last
// of them is on its way, how much memory it ever had.
func TestAptMemory(t *testing.T) {
	t.Parallel()
	const packages, most = 300, 64 << 10 // kB
	repo := aptrepo.New(aptrepo.Options{Packages: packages, Bytes: 30e6})
	for name, http2 := range map[string]bool{"http1": false, "http2": true} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			last, release := make(chan struct{}), make(chan struct{})
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, ".deb") && asked.Add(1) == packages+1 { // with the one that depends on all
					close(last)
					<-release
				}
				repo.ServeHTTP(w, r)
			})
			testbed.NewMirror(t, testbed.MirrorOptions{
				Names: []string{name + ".example.org"}, Handler: http.StripPrefix("/debian", h), HTTP2: http2,
			})
			apt := aptbed.New(t, aptbed.Options{
				Method:  aptbed.Method(t),
				Sources: []string{repo.Line("http://" + name + ".example.org/debian")},
			})
			apt.Run("update")
			cmd := apt.Command("apt-get", "install", "-y", "--download-only", "-o", "Acquire::Max-Pipeline-Depth=500", repo.All())
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-last
			if peak := peakOf(t, methodOf(t, cmd.Process.Pid)); peak > most {
				t.Errorf("%d kB of memory, want at most %d", peak, most)
			} else {
				t.Logf("%d kB of memory", peak)
			}
			close(release)
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v\n%s", err, &out)
			}
		})
	}
}

// peakOf returns the largest resident set that a process ever had, in kB.
func peakOf(t *testing.T, pid int) (kB int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "\nVmHWM:")
	if _, err := fmt.Sscan(rest, &kB); err != nil {
		t.Fatalf("%v in\n%s", err, status)
	}
	return kB
}
