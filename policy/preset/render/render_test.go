package render_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/loopx/loopx-frontend/internal/testbed/setup"
	"github.com/loopx/loopx-frontend/policy/preset"
	"github.com/loopx/loopx-frontend/policy/preset/render"
)

var _ = flag.Bool("update", false, "there are no goldens here")

var zeros = strings.Repeat("0", 64)

// input is one that every target takes, with the preset's cadence.
func input(t *testing.T, id, line, zone string) render.Input {
	t.Helper()
	p := preset.Find(preset.Builtin(), id)
	cron, err := preset.ParseCron(line)
	if err != nil {
		t.Fatal(err)
	}
	place, err := preset.ParseZone(zone)
	if err != nil {
		t.Fatal(err)
	}
	p.Cadence = preset.Cadence{Cron: cron, Zone: place}
	return render.Input{
		Preset: p, Archive: "https://artifacts.example.com/loopx/v1.2.3/loopxctl_v1.2.3_linux_amd64.tar.gz", SHA256: zeros,
		Image: "registry.example.com/ci/debian@sha256:" + zeros, Program: "/bin/true", Folder: "/usr", Fetch: true,
	}
}

// cadences are lines with all that a field may hold.
func cadences() [][2]string {
	return [][2]string{
		{"0 6 * * 1", "UTC"},
		{"0 6 * * mon-fri", "Europe/Berlin"},
		{"*/20 5-7 1,15 jan,jun *", "America/New_York"},
		{"30 2 13 * 5", "Australia/Lord_Howe"},
		{"7 23 * * sun", "Asia/Kathmandu"},
		{"0 0 29 2 *", "UTC"},
	}
}

// each renders a target for every preset and cadence.
func each(t *testing.T, target render.Target, f func(in render.Input, files []render.File)) {
	t.Helper()
	for _, id := range preset.IDs(preset.Builtin()) {
		for _, c := range cadences() {
			in := input(t, id, c[0], c[1])
			files, err := render.Render(target, in)
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				if strings.Contains(file.Text, "[[") || strings.Contains(file.Text, "<no value>") || !strings.HasSuffix(file.Text, "\n") || strings.HasSuffix(file.Text, "\n\n") || file.Name == "" {
					t.Errorf("%s is not whole:\n%s", file.Name, file.Text)
				}
			}
			f(in, files)
		}
	}
}

var (
	uses   = regexp.MustCompile(`(?m)uses: (.*)$`)
	pinned = regexp.MustCompile(`^actions/[a-z/]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
)

// TestGitHub has actionlint read the workflows, and holds that every action is
// named by its commit.
func TestGitHub(t *testing.T) {
	t.Parallel()
	actionlint, err := setup.Tool("actionlint")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	each(t, render.GitHub, func(_ render.Input, files []render.File) {
		name := filepath.Join(dir, files[0].Name)
		if err := os.WriteFile(name, []byte(files[0].Text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), actionlint, name).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s\n%s", err, out, files[0].Text)
		}
		all := uses.FindAllStringSubmatch(files[0].Text, -1)
		if len(all) != 3 {
			t.Errorf("%d actions", len(all))
		}
		for _, m := range all {
			if !pinned.MatchString(m[1]) {
				t.Errorf("%s is not pinned", m[1])
			}
		}
	})
	broken := filepath.Join(dir, "broken.yml") // the oracle is one
	if err := os.WriteFile(broken, []byte("on: {schedule: [{cron: '61 * * * *', timezone: Berlin}]}\njobs: {a: {runs-on: ubuntu-24.04, steps: [{run: ls}]}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), actionlint, broken).CombinedOutput(); err == nil || !strings.Contains(string(out), "timezone") {
		t.Errorf("actionlint takes a wrong time zone: %v\n%s", err, out)
	}
}

// gitlabJob has the keys of a job that the files use, all of them in GitLab's CI/CD
// YAML syntax reference.
type gitlabJob struct {
	Image         string
	Rules         []struct{ If string }
	ResourceGroup string `yaml:"resource_group"`
	Interruptible bool
	Timeout       string
	Variables     map[string]string
	Cache         struct {
		Key   string
		Paths []string
		When  string
	}
	BeforeScript []string `yaml:"before_script"`
	Script       []string
}

func TestGitLab(t *testing.T) {
	t.Parallel()
	each(t, render.GitLab, func(in render.Input, files []render.File) {
		var doc map[string]gitlabJob
		dec := yaml.NewDecoder(strings.NewReader(files[0].Text))
		dec.KnownFields(true)
		if err := dec.Decode(&doc); err != nil {
			t.Fatalf("%v\n%s", err, files[0].Text)
		}
		job, ok := doc["loopx:"+in.Preset.ID]
		if !ok || len(doc) != 1 || job.Image != in.Image || job.Cache.When != "always" || job.ResourceGroup == "" || len(job.Script) != 2 {
			t.Errorf("%+v", doc)
		}
		if !strings.Contains(files[0].Text, "interval pattern  "+in.Preset.Cadence.Cron.Portable()+"\n") || !strings.Contains(files[0].Text, "cron time zone    "+in.Zone()+"\n") {
			t.Errorf("the schedule is not told:\n%s", files[0].Text)
		}
		for _, script := range slices.Concat(job.BeforeScript, job.Script) {
			reads(t, script)
		}
	})
}

// reads has a shell read a command without running it.
func reads(t *testing.T, script string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-n")
	cmd.Stdin = strings.NewReader(script + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s\n%s", err, out, script)
	}
}

// crontabLine is a line of crontab(5): an assignment, or five fields and a command.
var crontabLine = regexp.MustCompile(`^(?:#.*|[A-Z_]+=\S+|((?:[0-9,]+|\*) (?:[0-9,]+|\*) (?:[0-9,]+|\*) (?:[0-9,]+|\*) (?:[0-9,]+|\*)) ([^%\n]+))$`)

func TestCrontab(t *testing.T) {
	t.Parallel()
	each(t, render.Crontab, func(in render.Input, files []render.File) {
		var times []string
		for line := range strings.Lines(files[0].Text) {
			m := crontabLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
			switch {
			case m == nil:
				t.Errorf("cron does not read %q", line)
			case m[1] != "":
				times = append(times, m[1])
				reads(t, m[2])
				if len(line) > 998 { // cron's limit of a command is 998 characters (MAX_COMMAND)
					t.Errorf("%d characters: %s", len(line), line)
				}
			}
		}
		if diff := cmp.Diff([]string{in.Preset.Cadence.Cron.Portable(), "17 * * * *"}, times); diff != "" {
			t.Error(diff)
		}
		if !strings.Contains(files[0].Text, "\nCRON_TZ="+in.Zone()+"\n") {
			t.Errorf("no zone:\n%s", files[0].Text)
		}
	})
}

// TestCrontabRuns runs the command of the crontab as cron does, with a program that
// notes how it was called: it runs the preset only if that is due, and not at all
// if the program is another one.
func TestCrontabRuns(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, due, sum, want string
		fails                bool
	}{
		{"due", "1", "", "preset due security\nfloors update\npreset run security --trigger weekly --if-due --wait\n", false},
		{"not due", "0", "", "preset due security\n", false},
		{"another program", "1", zeros, "", true},
	} {
		in, calls := noting(t, tc.due, tc.sum)
		files, err := render.Render(render.Crontab, in)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(files[0].Text), "\n")
		command := crontabLine.FindStringSubmatch(lines[len(lines)-1])[2]
		out, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput()
		if (err != nil) != tc.fails || (len(out) > 0) != tc.fails {
			t.Errorf("%s: %v, printed %q", tc.name, err, out)
		}
		got, _ := os.ReadFile(calls) // not there: it was not called
		if diff := cmp.Diff(tc.want, string(got)); diff != "" {
			t.Errorf("%s (-want +called):\n%s", tc.name, diff)
		}
	}
}

// noting is the input for a program that notes how it was called, and exits as due
// says when it is asked. sum is its checksum; unless given, the right one.
func noting(t *testing.T, due, sum string) (in render.Input, calls string) {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "loopxctl")
	calls = filepath.Join(dir, "calls")
	script := "#!/bin/sh\necho \"$@\" >>" + calls + "\ntest \"$2\" != due || exit " + due + "\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	in = input(t, preset.Security, "0 6 * * 1", "UTC")
	in.Program, in.Folder = program, dir
	if in.SHA256 = sum; in.SHA256 == "" {
		out, err := exec.CommandContext(t.Context(), "sha256sum", program).Output()
		if err != nil {
			t.Fatal(err)
		}
		in.SHA256 = string(out[:64])
	}
	return in, calls
}

var execCondition = regexp.MustCompile(`(?m)^ExecCondition=/bin/sh -c '(.+)'$`)

// TestServiceCondition runs the condition of the service: 0 goes on, 1 to 254 skips,
// and 255 fails it (systemd.service(5)).
func TestServiceCondition(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, due, sum, called string
		want                   int
	}{
		{"due", "1", "", "preset due security\n", 0},
		{"not due", "0", "", "preset due security\n", 1},
		{"not known, so that the run tells why", "3", "", "preset due security\n", 0},
		{"another program", "1", zeros, "", 255},
	} {
		in, calls := noting(t, tc.due, tc.sum)
		files, err := render.Render(render.Systemd, in)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-c", execCondition.FindStringSubmatch(files[0].Text)[1])
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != tc.want {
			t.Errorf("%s: %v, want exit code %d", tc.name, err, tc.want)
		}
		got, _ := os.ReadFile(calls) // not there: it was not called
		if diff := cmp.Diff(tc.called, string(got)); diff != "" {
			t.Errorf("%s (-want +called):\n%s", tc.name, diff)
		}
	}
}

var section = regexp.MustCompile(`^(?:#.*|\[(?:Unit|Service|Timer|Install)\]|[A-Z][A-Za-z]+=.+|)$`)

// TestSystemd has systemd-analyze verify the units, and compares the times that it
// makes of the calendar with those of the cadence. Where there is no systemd, only
// the grammar is looked at.
func TestSystemd(t *testing.T) {
	t.Parallel()
	analyze, lookErr := exec.LookPath("systemd-analyze")
	each(t, render.Systemd, func(in render.Input, files []render.File) {
		dir := t.TempDir()
		var names []string
		for _, f := range files {
			for line := range strings.Lines(f.Text) {
				if !section.MatchString(strings.TrimSuffix(line, "\n")) {
					t.Errorf("systemd does not read %q", line)
				}
			}
			names = append(names, filepath.Join(dir, f.Name))
			if err := os.WriteFile(names[len(names)-1], []byte(f.Text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if lookErr != nil {
			return
		}
		out, err := exec.CommandContext(t.Context(), analyze, append([]string{"verify"}, names...)...).CombinedOutput()
		if text := string(out); err != nil || strings.Contains(text, dir) || strings.Contains(text, "loopx") {
			t.Errorf("%v\n%s", err, text)
		}
		elapses(t, analyze, in)
	})
}

var elapse = regexp.MustCompile(`(?m)(?:Next elapse|Iter\. #\d+|\(in UTC\)): (?:\w+ )?(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC`)

// elapses compares the first times of the calendar, where no clock changes, with
// the cadence's.
func elapses(t *testing.T, analyze string, in render.Input) {
	t.Helper()
	from := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	seen := map[string]bool{}
	for _, spec := range in.Calendar() {
		cmd := exec.CommandContext(t.Context(), analyze, "calendar", "--iterations=4", "--base-time=2026-06-01 00:00:00 UTC", spec)
		cmd.Env = append(os.Environ(), "TZ=UTC")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", spec, err, out)
		}
		for _, m := range elapse.FindAllStringSubmatch(string(out), -1) {
			seen[m[1]] = true
		}
	}
	at := from.Add(-time.Second)
	for range 3 {
		p := in.Preset.Cadence.Next(at)
		if !seen[p.Start.Format(time.DateTime)] {
			t.Errorf("%q does not elapse at %v, only at %v", in.Calendar(), p.Start, seen)
			return
		}
		at = p.Start
	}
}

// TestRefused: nothing is put into a file that a shell, YAML, cron or systemd would
// read as more than a word.
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[render.Target][]func(*render.Input){
		render.GitHub: {
			func(in *render.Input) { in.Archive = "" },
			func(in *render.Input) { in.Archive = "http://artifacts.example.com/x" },
			func(in *render.Input) { in.Archive = "https://a.example/$(id)" },
			func(in *render.Input) { in.Archive = "https://a.example/x\nrun: id" },
			func(in *render.Input) { in.SHA256 = "" },
			func(in *render.Input) { in.SHA256 = strings.ToUpper("a" + zeros[1:]) },
			func(in *render.Input) { in.Advisories = "https://a.example/${{ secrets.X }}" },
		},
		render.GitLab: {
			func(in *render.Input) { in.Image = "" },
			func(in *render.Input) { in.Image = "debian:12" },
		},
		render.Crontab: {
			func(in *render.Input) { in.Program = "loopxctl" },
			func(in *render.Input) { in.Program = "/a b/loopxctl" },
			func(in *render.Input) { in.Folder = "/a%b" },
			func(in *render.Input) { in.Folder = "/a;id" },
			func(in *render.Input) { in.State = "/a\nb" },
		},
		render.Systemd: {
			func(in *render.Input) { in.Folder = "/%h" },
			func(in *render.Input) { in.State = "relative" },
		},
		"make": {func(*render.Input) {}},
	} {
		for i, f := range change {
			in := input(t, preset.Security, "0 6 * * 1", "UTC")
			f(&in)
			if files, err := render.Render(name, in); err == nil {
				t.Errorf("%s %d: %s", name, i, files[0].Text)
			}
		}
	}
}
