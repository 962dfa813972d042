// Package cvss computes the base score of a CVSS vector of version 3, by the
// specification of version 3.1, section 7.1 ("Base Metrics Equations"). The
// equations of 3.0 give the same scores but for rounding in rare cases, where
// 3.1's are taken.
package cvss

import (
	"math"
	"strings"
)

// weights are the metrics' values (section 7.4). Privileges are those of an
// unchanged scope.
func weights(metric string) map[string]float64 {
	switch metric {
	case "AV":
		return map[string]float64{"N": 0.85, "A": 0.62, "L": 0.55, "P": 0.2}
	case "AC":
		return map[string]float64{"L": 0.77, "H": 0.44}
	case "PR":
		return map[string]float64{"N": 0.85, "L": 0.62, "H": 0.27}
	case "UI":
		return map[string]float64{"N": 0.85, "R": 0.62}
	case "S":
		return map[string]float64{"U": 0, "C": 1}
	case "C", "I", "A":
		return map[string]float64{"H": 0.56, "L": 0.22, "N": 0}
	}
	return nil
}

// Score returns the base score, from 0 to 10; ok is false if the text is no
// vector of version 3 with all base metrics.
func Score(vector string) (score float64, ok bool) {
	rest, ok := strings.CutPrefix(vector, "CVSS:3.")
	if !ok || len(rest) < 2 || rest[0] != '0' && rest[0] != '1' || rest[1] != '/' {
		return 0, false
	}
	values := map[string]float64{}
	words := map[string]string{}
	for part := range strings.SplitSeq(rest[2:], "/") {
		metric, word, _ := strings.Cut(part, ":")
		if weight, known := weights(metric)[word]; known {
			values[metric], words[metric] = weight, word
		}
	}
	if len(values) != 8 {
		return 0, false
	}
	return base(values, words), true
}

func base(v map[string]float64, words map[string]string) float64 {
	changed := words["S"] == "C"
	iss := 1 - (1-v["C"])*(1-v["I"])*(1-v["A"])
	impact := 6.42 * iss
	if changed {
		impact = 7.52*(iss-0.029) - 3.25*math.Pow(iss-0.02, 15)
		switch words["PR"] {
		case "L":
			v["PR"] = 0.68
		case "H":
			v["PR"] = 0.5
		}
	}
	if impact <= 0 {
		return 0
	}
	sum := impact + 8.22*v["AV"]*v["AC"]*v["PR"]*v["UI"]
	if changed {
		sum *= 1.08
	}
	return roundUp(math.Min(sum, 10))
}

// roundUp is the specification's Roundup: to one decimal, up, on whole numbers.
func roundUp(x float64) float64 {
	n := int(math.Round(x * 100000))
	if n%10000 == 0 {
		return float64(n) / 100000
	}
	return float64(n/10000+1) / 10
}
