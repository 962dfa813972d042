package notice

import (
	"regexp"
	"strings"
	"time"

	"github.com/loopx/loopx-frontend/policy/manifest/runline"
)

// snapshot is an archive as it was at a time.
type snapshot struct {
	host string
	// at is zero if the text does not tell it.
	at time.Time
}

// snapshotAddress is an address of the archives of the past: the host, and the
// time in the path. Sources: https://snapshot.debian.org/ ("how to use"),
// https://snapshot.ubuntu.com/.
var snapshotAddress = regexp.MustCompile(`(snapshot(?:-cloudflare)?\.(?:debian\.org|ubuntu\.com))(?:/[A-Za-z0-9._-]+)*?/(\d{8}T\d{6}Z)`)

// snapshotHost is one of them, wherever it leads.
var snapshotHost = regexp.MustCompile(`\bsnapshot(?:-cloudflare)?\.(?:debian\.org|ubuntu\.com)\b`)

// written looks at the text of a stage, comments left out, for what decides which
// versions apt sees: it may stand in a heredoc as well as in a command.
func (s *stage) written(text string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		s.preferences = s.preferences || strings.Contains(line, "/etc/apt/preferences")
		for _, host := range snapshotHost.FindAllString(line, -1) {
			if snapshotAddress.FindString(line) == "" {
				s.snapshot(host, "")
			}
		}
		s.addresses(line)
	}
}

// expanded looks at the words of commands, whose variables have their values.
func (s *stage) expanded(calls []runline.Call) {
	for _, c := range calls {
		for _, w := range c.Words {
			s.addresses(w.String())
		}
	}
}

func (s *stage) addresses(text string) {
	for _, m := range snapshotAddress.FindAllStringSubmatch(text, -1) {
		s.snapshot(m[1], m[2])
	}
}

func (s *stage) snapshot(host, stamp string) {
	at, err := time.Parse("20060102T150405Z", stamp)
	if err != nil {
		at = time.Time{}
	}
	s.snapshots = append(s.snapshots, snapshot{host, at})
}

// frozen returns the snapshot that decides: the latest whose time is known, since
// apt takes the newest version that any source has; ok is false if there is none.
func (f *facts) frozen() (latest snapshot, ok bool) {
	for _, s := range f.snapshots {
		if !ok || s.at.After(latest.at) {
			latest, ok = s, true
		}
	}
	return latest, ok
}
