package aptconf_test

import (
	"flag"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopx/loopx-frontend/frontend/aptmethod/aptconf"
)

var _ = flag.Bool("update", false, "no goldens here")

func TestFind(t *testing.T) {
	t.Parallel()
	var c aptconf.Conf
	if _, ok := c.Find("APT::Sandbox::User"); ok {
		t.Error("the zero Conf has an item")
	}
	c.Add("APT::Sandbox::User", "first")
	c.Add("apt::sandbox::USER", "_apt")
	c.Add("Acquire::http::Proxy", "")
	if v, ok := c.Find("APT::Sandbox::User"); v != "_apt" || !ok {
		t.Errorf("user %q, %v; want the later of two", v, ok)
	}
	if v, ok := c.Find("acquire::HTTP::proxy"); v != "" || !ok {
		t.Errorf("proxy %q, %v; want set and empty", v, ok)
	}
	if got := c.First("No::Such", "APT::Sandbox::User"); got != "_apt" {
		t.Errorf("First = %q", got)
	}
	if got := c.First("No::Such"); got != "" {
		t.Errorf("First of nothing = %q", got)
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	var c aptconf.Conf
	c.Add("APT::Never::", "a")
	c.Add("apt::never::", "b")
	if diff := cmp.Diff([]string{"a", "b"}, c.List("APT::Never")); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if got := c.List("APT::None"); len(got) != 0 {
		t.Errorf("list that is not set: %q", got)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	var c aptconf.Conf
	for _, name := range []string{"Acquire::https::B", "Acquire::https::a.example::Verify-Peer", "Acquire::httpsx", "Acquire::https"} {
		c.Add(name, "x")
	}
	want := []string{"acquire::https::a.example::verify-peer", "acquire::https::b"}
	if diff := cmp.Diff(want, c.Names("Acquire::https")); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestMove(t *testing.T) {
	t.Parallel()
	var c aptconf.Conf
	c.Add("Acquire::http::Timeout", "30")
	c.Add("Binary::http::Acquire::http::Timeout", "5")
	c.Add("Binary::https::Acquire::http::Timeout", "9")
	c.Move("Binary::http")
	if got := c.Int("Acquire::http::Timeout", 0); got != 5 {
		t.Errorf("timeout %d, want the program's own 5", got)
	}
}

func TestTyped(t *testing.T) {
	t.Parallel()
	var c aptconf.Conf
	for value, want := range map[string]bool{
		"no": false, "False": false, "without": false, "off": false, "disable": false, "0": false,
		"yes": true, "True": true, "with": true, "on": true, "enable": true, "1": true, "7": true,
	} {
		c.Add("X", value)
		if got := c.Bool("X", !want); got != want {
			t.Errorf("Bool of %q = %v", value, got)
		}
	}
	c.Add("X", "perhaps")
	if !c.Bool("X", true) || c.Bool("X", false) || c.Bool("None", false) {
		t.Error("Bool of something else is not the fallback")
	}
	if c.Int("X", 4) != 4 || c.Int("None", 3) != 3 {
		t.Error("Int of no number is not the fallback")
	}
	c.Add("N", "12")
	c.Add("Negative", "-1")
	if got := c.Seconds("N", 0); got != 12*time.Second {
		t.Errorf("Seconds = %v", got)
	}
	if got := c.Seconds("Negative", time.Minute); got != time.Minute {
		t.Errorf("negative Seconds = %v, want the fallback", got)
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	var c aptconf.Conf
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				c.Add("A::B", "1")
				if c.Int("A::B", 0) != 1 || len(c.Names("A")) != 1 {
					t.Error("an item that was added is missing")
				}
			}
		})
	}
	wg.Wait()
}
