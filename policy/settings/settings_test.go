package settings_test

import (
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/policy/config"
	"github.com/loopx/loopx-frontend/policy/settings"
	"github.com/loopx/loopx-frontend/rewrite/route"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// organisation and project are layers of files; variables is one of NAME=VALUE.
func organisation(t *testing.T, text string) settings.Layer {
	t.Helper()
	c, err := config.ParseOrganisation("/etc/loopx/loopx.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return settings.Of(settings.Organisation, c)
}

func project(t *testing.T, text string) settings.Layer {
	t.Helper()
	c, err := config.Parse("loopx.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return settings.Of(settings.Project, c)
}

func variables(t *testing.T, set ...string) settings.Layer {
	t.Helper()
	l, _, err := settings.FromVariables("build arg ", lookup(set...))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func lookup(set ...string) func(string) (string, bool) {
	values := map[string]string{}
	for _, s := range set {
		name, value, _ := strings.Cut(s, "=")
		values[name] = value
	}
	return func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}
}

// shown are the settings in force, "KEY VALUE (SOURCE)".
func shown(s *settings.Settings) []string {
	var all []string
	for _, x := range s.All() {
		all = append(all, x.Key+" "+x.Value+" ("+string(x.Source.Owner)+" "+x.Source.Name+")")
	}
	return all
}

// TestInForce: each layer wins over those before it, setting by setting.
func TestInForce(t *testing.T) {
	t.Parallel()
	s := settings.InForce(
		organisation(t, "mode: audit\nrepository: example.com/team/app\nmirrors: {debian: 'https://o.example/debian', kali: 'https://o.example/kali'}\nhosts: {a.example: keep, b.example: refuse}\n"),
		project(t, "apt: off\nmirrors: {debian: 'https://p.example/debian', ubuntu: 'https://p.example/ubuntu'}\nhosts: {b.example: upgrade, c.example: keep}\n"),
		variables(t, "LOOPX_MODE= enforce ", "LOOPX_CHECKS=off", "LOOPX_UBUNTU_MIRROR=https://v.example/ubuntu", "LOOPX_HOSTS=c.example=refuse",
			"LOOPX_DEBIAN_SECURITY_MIRROR=https://v.example/short", "LOOPX_SKILLSBENCH_RUNTIME_DEBIAN_SECURITY_MIRROR=https://v.example/long"),
		settings.FromFlags(route.Config{Mirrors: map[string][]string{"kali": {"default"}}}, map[string]string{config.MirrorKey("kali"): "--mirror"}),
	)
	want := []string{
		"mode enforce (operator LOOPX_MODE)",
		"apt off (project loopx.yaml:1)",
		"checks off (operator LOOPX_CHECKS)",
		"repository example.com/team/app (organisation /etc/loopx/loopx.yaml:2)",
		"mirrors.debian https://p.example/debian (project loopx.yaml:2)",
		"mirrors.debian-security https://v.example/long (operator LOOPX_SKILLSBENCH_RUNTIME_DEBIAN_SECURITY_MIRROR)",
		"mirrors.kali default (operator --mirror)",
		"mirrors.ubuntu https://v.example/ubuntu (operator LOOPX_UBUNTU_MIRROR)",
		"hosts.a.example keep (organisation /etc/loopx/loopx.yaml:4)",
		"hosts.b.example upgrade (project loopx.yaml:3)",
		"hosts.c.example refuse (operator LOOPX_HOSTS)",
	}
	if diff := cmp.Diff(want, shown(s)); diff != "" || s.Err() != nil || s.Lock != nil {
		t.Errorf("error %v (-want +got):\n%s", s.Err(), diff)
	}
	if got := shown(settings.InForce()); len(got) != 3 || got[0] != "mode enforce (built-in )" {
		t.Errorf("nothing said: %q", got)
	}
}

// TestNotes: what is weaker than what is built in is told, with its source.
func TestNotes(t *testing.T) {
	t.Parallel()
	s := settings.InForce(organisation(t, "hosts: {a.example: keep}\n"), project(t, "hosts:\n  b.example: https://m.example/x\n  c.example:8080: https://c.example:8443\nmirrors: {debian: 'https://m.example'}\n"),
		variables(t, "LOOPX_MODE=audit", "LOOPX_APT=off", "LOOPX_CHECKS=off"))
	want := []route.Note{
		{Variable: "LOOPX_MODE", Message: "refused fetches are reported and built all the same", Weakens: true},
		{Variable: "LOOPX_APT", Message: "what apt fetches is not moved to TLS", Weakens: true},
		{Variable: "LOOPX_CHECKS", Message: "the text of the Dockerfile is not checked", Weakens: true},
		{Variable: "/etc/loopx/loopx.yaml:1", Message: "clear text to a.example is kept", Weakens: true},
		{Variable: "loopx.yaml:2", Message: "what is asked of b.example is fetched from https://m.example/x", Weakens: true},
		{Variable: "loopx.yaml:4", Message: "https://m.example has no path: the archive is expected at the root of that host"},
	}
	if diff := cmp.Diff(want, s.Notes()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestVariables: the notes of contradicting variables, and errors with the name of
// the variable.
func TestVariables(t *testing.T) {
	t.Parallel()
	_, notes, err := settings.FromVariables("", lookup("LOOPX_DEBIAN_SECURITY_MIRROR=https://v.example/short", "LOOPX_SKILLSBENCH_RUNTIME_DEBIAN_SECURITY_MIRROR=https://v.example/long", "LOOPX_MODE=audit"))
	if err != nil || len(notes) != 1 || notes[0].Variable != "LOOPX_DEBIAN_SECURITY_MIRROR" {
		t.Errorf("notes %v, error %v", notes, err)
	}
	for set, want := range map[string]string{
		"LOOPX_MODE=loud": `LOOPX_MODE: "loud" is no mode`,
		"LOOPX_APT=no":    `LOOPX_APT: "no" is neither auto, all nor off`,
		"LOOPX_CHECKS=no": `LOOPX_CHECKS: "no" is neither on nor off`,
		"LOOPX_DEBIAN_MIRROR=https://u:hunter2@m.test": `LOOPX_DEBIAN_MIRROR: "https://***@m.test" holds a user`,
	} {
		if _, _, err := settings.FromVariables("", lookup(set)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", set, err)
		}
	}
}

const locked = `locked: true
mirrors: {debian: 'https://o.example/debian', ubuntu: 'https://o.example/ubuntu'}
keyserver: keys.example
hosts: {a.example: keep, b.example: refuse, c.example: 'https://o.example/c', "*.corp.example": upgrade, nas.internal: upgrade}
`

// TestTightens: under a lock this is admitted, and in force.
func TestTightens(t *testing.T) {
	t.Parallel()
	for _, set := range []string{
		"LOOPX_MODE=enforce", "LOOPX_APT=all", "LOOPX_APT=auto", "LOOPX_CHECKS=on",
		"LOOPX_HOSTS=a.example=refuse", "LOOPX_HOSTS=new.example=refuse", "LOOPX_HOSTS=*.example=refuse", "LOOPX_HOSTS=deb.debian.org=refuse",
		"LOOPX_HOSTS=a.example=upgrade", "LOOPX_HOSTS=10.0.0.1=upgrade", "LOOPX_HOSTS=nexus:8081=upgrade", "LOOPX_HOSTS=*.internal=upgrade",
		"LOOPX_HOSTS=a.example=keep", "LOOPX_HOSTS=c.example=https://o.example/c", "LOOPX_HOSTS=localhost=keep",
		"LOOPX_DEBIAN_MIRROR=https://o.example/debian/", "LOOPX_KALI_MIRROR=https://o.example/kali", "LOOPX_KALI_MIRROR=default",
	} {
		s := settings.InForce(organisation(t, locked), variables(t, set))
		if err := s.Err(); err != nil {
			t.Errorf("%s: %v", set, err)
		}
		value := set[strings.LastIndexByte(set, '=')+1:]
		if !strings.Contains(strings.Join(shown(s), "\n"), strings.TrimSuffix(value, "/")) {
			t.Errorf("%s is not in force: %q", set, shown(s))
		}
	}
}

// TestLoosens: under a lock this is refused, and nothing of it is in force.
func TestLoosens(t *testing.T) {
	t.Parallel()
	before := shown(settings.InForce(organisation(t, locked)))
	for _, set := range []string{
		"LOOPX_MODE=audit", "LOOPX_APT=off", "LOOPX_CHECKS=off",
		"LOOPX_HOSTS=new.example=keep", "LOOPX_HOSTS=*.example=keep", "LOOPX_HOSTS=x.corp.example=keep", "LOOPX_HOSTS=nas.internal:8080=keep",
		"LOOPX_HOSTS=b.example=upgrade", "LOOPX_HOSTS=b.example=keep", "LOOPX_HOSTS=b.example:80=upgrade",
		"LOOPX_HOSTS=c.example=upgrade", "LOOPX_HOSTS=c.example=https://elsewhere.example", "LOOPX_HOSTS=10.0.0.1=https://elsewhere.example",
		"LOOPX_HOSTS=deb.debian.org=upgrade", "LOOPX_HOSTS=*.debian.org=upgrade", "LOOPX_HOSTS=keys.openpgp.org=upgrade", "LOOPX_HOSTS=new.example:8443=upgrade",
		"LOOPX_DEBIAN_MIRROR=https://v.example/debian", "LOOPX_DEBIAN_MIRROR=https://o.example/debian,default", "LOOPX_UBUNTU_SECURITY_MIRROR=https://v.example/ubuntu",
		"LOOPX_KEYSERVER=other.example", "LOOPX_KALI_MIRROR=https://deb.debian.org/debian", "LOOPX_KALI_MIRROR=https://b.example/kali", "LOOPX_KALI_MIRROR=https://c.example/kali",
	} {
		s := settings.InForce(organisation(t, locked), variables(t, set))
		name, _, _ := strings.Cut(set, "=")
		var refused *settings.LockError
		if !errors.As(s.Err(), &refused) || len(refused.Refused) != 1 || refused.Refused[0].Source != "build arg "+name || refused.Refused[0].Owner != settings.Operator {
			t.Errorf("%s: %v", set, s.Err())
		}
		if diff := cmp.Diff(before, shown(s)); diff != "" {
			t.Errorf("%s changes what is in force (-before +after):\n%s", set, diff)
		}
	}
}

// TestLoosensBeside: what a lock says of one port, one name or one folder, it says
// of no other.
func TestLoosensBeside(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ organisation, project, want string }{
		{"hosts: {'a.example:80': keep}", "hosts: {a.example: keep}", "keeps fetches from a.example in clear text"},
		{"hosts: {'a.example:80': keep}", "hosts: {a.example: upgrade}", "allows fetches from a.example, which are refused"},
		{"hosts: {any.example: keep}", "hosts: {'*.example': keep}", "keeps fetches from *.example in clear text"},
		{"mirrors: {debian: 'https://o.example/debian'}", "mirrors: {kali: 'https://deb.debian.org'}", "names the mirror https://deb.debian.org, "},
		{"mirrors: {debian: 'https://o.example/debian'}", "mirrors: {kali: 'https://ftp.de.debian.org'}", "names the mirror https://ftp.de.debian.org, "},
		{"mirrors: {debian: 'https://o.example/debian'}", "keyserver: https://deb.debian.org", "names the mirror https://deb.debian.org, "},
		{"mirrors: {debian: 'https://o.example/debian'}", "mirrors: {kali: 'https://security.debian.org'}", ""},
		{"mirrors: {ubuntu: 'https://o.example/ubuntu'}", "mirrors: {kali: 'https://ports.ubuntu.com'}", ""},
		{"hosts: {'[fd00::1]:8080': upgrade}", "hosts: {'[fd00::1]': upgrade}", ""},
		{"hosts: {x.internal: upgrade}", "hosts: {'*.internal': keep}", ""},
	} {
		err := settings.InForce(organisation(t, "locked: true\n"+tc.organisation), project(t, tc.project)).Err()
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s beside %s: %v", tc.project, tc.organisation, err)
		}
	}
}

// TestLockError: all that weakens is told at once, with whom it concerns.
func TestLockError(t *testing.T) {
	t.Parallel()
	s := settings.InForce(organisation(t, "mode: audit\napt: all\nlocked: true\ncontact: platform@example.com\n"),
		project(t, "apt: auto\nhosts:\n  new.example: keep\n"), variables(t, "LOOPX_MODE=audit", "LOOPX_APT=off"))
	s.Refuse(settings.Refusal{Source: "build context loopx-policy", Owner: settings.Operator, Weakens: "holds signers"})
	const want = `the organisation's frontend image locks its configuration (/etc/loopx/loopx.yaml:3), which may only be tightened:
  loopx.yaml:1 sets apt to auto, under which fewer RUNs have apt served over TLS than under all; this is for the project's authors to take out
  loopx.yaml:3 keeps fetches from new.example in clear text; this is for the project's authors to take out
  build arg LOOPX_APT sets apt to off, under which fewer RUNs have apt served over TLS than under all; this is for whoever calls the build to take out
  build context loopx-policy holds signers; this is for whoever calls the build to take out
An exception is for whoever maintains the organisation's image: platform@example.com`
	if err := s.Err(); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	s = settings.InForce(organisation(t, "mode: audit\n"), project(t, "apt: off\n"))
	s.Refuse(settings.Refusal{})
	if s.Err() != nil {
		t.Errorf("without a lock: %v", s.Err())
	}
}
