package cvss_test

import (
	"flag"
	"testing"

	"github.com/loopx/loopx-frontend/policy/floors/cvss"
)

var _ = flag.Bool("update", false, "there are no goldens here")

// TestScore has the scores of well-known vulnerabilities, as the National
// Vulnerability Database gives them.
func TestScore(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		vector string
		want   float64
	}{
		{"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", 10},  // CVE-2021-44228
		{"CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N", 7.5}, // CVE-2014-0160
		{"CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", 6.1}, // CVE-2020-11022
		{"CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H", 7.8}, // CVE-2021-4034
		{"CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N", 6.4},
		{"CVSS:3.1/AV:P/AC:H/PR:H/UI:R/S:U/C:N/I:N/A:N", 0},
		{"CVSS:3.1/AV:N/AC:H/PR:H/UI:N/S:C/C:H/I:L/A:N/E:P", 6.6}, // by hand: 1.08 × (4.717 + 1.307) = 6.506
	} {
		if got, ok := cvss.Score(tc.vector); !ok || got != tc.want {
			t.Errorf("%s: %v, %v; want %v", tc.vector, got, ok, tc.want)
		}
	}
}

func TestNoScore(t *testing.T) {
	t.Parallel()
	for _, vector := range []string{
		"", "CVSS:3.1", "CVSS:3.1/", "CVSS:3.1/AV:N", "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N",
		"AV:N/AC:L/Au:N/C:P/I:P/A:P", "CVSS:3.2/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", "CVSS:3.1/AV:X/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H",
	} {
		if got, ok := cvss.Score(vector); ok {
			t.Errorf("%q: %v", vector, got)
		}
	}
}
