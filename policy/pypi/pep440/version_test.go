package pep440

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVersionParts(t *testing.T) {
	t.Parallel()
	v := mustParse(t, " v1!2.0.0RC1-3.dev4+Local_07 ")
	letters, number := v.Pre()
	got := []any{
		v.String(), v.Original(), v.Epoch(), v.Release(), letters, number, v.Post(), v.Dev(), v.Local(),
		v.Public().String(), v.Base().String(), v.Base().Original(), v.IsPre(), v.IsPost(), v.IsDev(),
	}
	want := []any{
		"1!2.0.0rc1.post3.dev4+local.7", " v1!2.0.0RC1-3.dev4+Local_07 ", "1",
		[]string{"2", "0", "0"},
		"rc", "1", "3", "4", "local.7",
		"1!2.0.0rc1.post3.dev4", "1!2.0.0", "1!2.0.0", true, true, true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestZeroVersion(t *testing.T) {
	t.Parallel()
	var zero Version
	got := []any{
		zero.IsZero(), zero.String(), zero.Original(), zero.Epoch(), zero.Release(), zero.Post(), zero.Dev(), zero.Local(),
		zero.Public().IsZero(), zero.Base().IsZero(), zero.Bump(2).IsZero(), zero.Compare(mustParse(t, "0.dev0")),
		Only(zero).Empty(), At(zero, PastPosts).Unbounded(), All().Contains(zero), Specifiers{}.Contains(zero, PreYes),
		mustSpecifiers(t, "==1.*").Contains(zero, PreYes),
	}
	want := []any{true, "", "", "0", []string(nil), "", "", "", true, true, true, -1, true, true, false, false, false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestBump(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text  string
		parts int
		want  string
	}{
		{"1.2.3", 1, "2"},
		{"1.2.3", 2, "1.3"},
		{"1.2.3rc1", 3, "1.2.4"},
		{"1.2", 4, "1.2.0.1"},
		{"0", 1, "1"},
		{"0.0.3", 2, "0.1"},
		{"1!199.999.9", 1, "1!200"},
		{"199.999.9", 2, "199.1000"},
		{strings.Repeat("9", 40), 1, "1" + strings.Repeat("0", 40)},
		{"1.2", 0, ""},
	} {
		if got := mustParse(t, row.text).Bump(row.parts).String(); got != row.want {
			t.Errorf("%s bumped at %d is %q, want %q", row.text, row.parts, got, row.want)
		}
	}
}

func TestLowered(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"83.0.0": "82", "83.1.0": "83.0", "1.0.1": "1.0.0", "200": "199", "1000.0": "999", "1": "0", "1!1": "1!0",
		"0": "", "0.0": "", "2!0": "", "1" + strings.Repeat("0", 40): strings.Repeat("9", 40),
	} {
		got, ok := mustParse(t, text).lowered()
		if got.String() != want || ok != (want != "") {
			t.Errorf("before the family of %s lies %q, %v, want %q", text, got, ok, want)
		}
		if ok && mustParse(t, want).key != got.key {
			t.Errorf("%s: the key of %s is not its own", text, want)
		}
	}
}

// TestNumbersOfEachSize goes over the sizes at which the way of writing
// numbers changes.
func TestNumbersOfEachSize(t *testing.T) {
	t.Parallel()
	numbers := []string{"0", "1", "9", "10", "99", "100", "198", "199", "200", "255", "256", "999", "1000", "9999"}
	for _, digits := range []int{17, 18, 19, 20, 31, 32, 33, 34, 255, 256, 257, 70000} {
		numbers = append(numbers, "1"+strings.Repeat("0", digits-1), strings.Repeat("9", digits))
	}
	var last Version
	for i, number := range numbers {
		v := mustParse(t, "00"+number+".1")
		if v.String() != number+".1" {
			t.Errorf("number %d reads back as something else", i)
		}
		if last.Compare(v) >= 0 {
			t.Errorf("number %d is not above the one before", i)
		}
		if before, _ := mustParse(t, number).Bump(1).lowered(); before.Compare(mustParse(t, number)) != 0 {
			t.Errorf("number %d: one more and one less is something else", i)
		}
		last = v
	}
}

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":              `invalid version "" at byte 0: a version begins with a number, such as 1.0`,
		"  x1":          `invalid version "x1" at byte 2: a version begins with a number, such as 1.0`,
		"1!":            `invalid version "1!" at byte 2: a number is missing after the epoch`,
		"1.0.":          `invalid version "1.0." at byte 3: this is no part of a version number`,
		"1.0+":          `invalid version "1.0+" at byte 4: a part of the local label is missing: ASCII letters and digits`,
		"1.0+a..b":      `invalid version "1.0+a..b" at byte 6: a part of the local label is missing: ASCII letters and digits`,
		"1.0\x1b[2J":    `invalid version "1.0\x1b[2J" at byte 3: this is no part of a version number`,
		"1.0\u202e":     `invalid version "1.0\u202e" at byte 3: this is no part of a version number`,
		"1.0\xff":       `invalid version "1.0\xff" at byte 3: this is no part of a version number`,
		"1.0-SNAPSHOT!": `invalid version "1.0-SNAPSHOT!" at byte 3: this is no part of a version number`,
		"1" + strings.Repeat(".x", 50): `invalid version "1` + strings.Repeat(".x", 29) + `."… at byte 1: ` +
			`this is no part of a version number`,
	} {
		_, err := Parse(text)
		if err == nil || err.Error() != want {
			t.Errorf("Parse(%q): error %v, want %s", text, err, want)
		}
	}
}

// TestHugeVersions reads texts of ten megabytes: in linear time, or the test
// does not end.
func TestHugeVersions(t *testing.T) {
	t.Parallel()
	const size = 10 << 20
	for name, text := range map[string]string{
		"one number": strings.Repeat("9", size),
		"many parts": strings.Repeat("1.", size/2) + "1",
		"many zeros": "1" + strings.Repeat(".0", size/2),
		"label":      "1+" + strings.Repeat("a.", size/2) + "1",
		"long dev":   "1.dev" + strings.Repeat("8", size),
	} {
		v := mustParse(t, text)
		if v.String() != text {
			t.Errorf("%s: the normal form differs", name)
		}
		if v.Compare(mustParse(t, text)) != 0 || v.Compare(mustParse(t, "0")) <= 0 {
			t.Errorf("%s: wrong order", name)
		}
		s := mustSpecifiers(t, "=="+text)
		if !s.Contains(v, PreYes) || !s.Set().Contains(v) || len(s.Set().Examples(2)) == 0 {
			t.Errorf("%s: == does not admit its version", name)
		}
	}
	if v := mustParse(t, strings.Repeat("9", size)); len(v.Bump(1).String()) != size+1 {
		t.Error("the next number is wrong")
	}
	for _, text := range []string{">=1.dev0,<1" + strings.Repeat(".0", size/2) + ".1", "!=1.0,!=" + strings.Repeat("1.", size/2) + "1.*"} {
		set := mustSpecifiers(t, text).Set()
		if _, ok := set.Specifiers(); !ok || len(set.String()) > 1000 || len(set.Examples(3)) == 0 {
			t.Errorf("%.30s…: %.100v", text, set)
		}
	}
	for _, bad := range []string{strings.Repeat("1.", size/2), strings.Repeat(" ", size), strings.Repeat("v", size), "1" + strings.Repeat("a", size)} {
		if _, err := Parse(bad); err == nil || len(err.Error()) > 1000 {
			t.Errorf("%.10q…: error %.100v", bad, err)
		}
	}
}
