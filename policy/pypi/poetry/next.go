package poetry

import (
	"strings"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
)

// next counts up one part of v's release, from 0, and sets those behind it to
// zero. A part that v doesn't have is made.
func next(v pep440.Version, part int) pep440.Version {
	parts := v.Release()
	for len(parts) <= part {
		parts = append(parts, "0")
	}
	parts[part] = increment(parts[part])
	for i := part + 1; i < len(parts); i++ {
		parts[i] = "0"
	}
	return made(v.Epoch() + "!" + strings.Join(parts, "."))
}

// neighbours gives the first version of the family "v.*" and the first behind
// it, for a v that is a pre-, post- or development release.
func neighbours(v pep440.Version) (low, high pep440.Version) {
	text := v.Base().String()
	letters, number := v.Pre()
	switch {
	case v.IsPost():
		text += letters + number
		return made(text + ".post" + v.Post() + ".dev0"), made(text + ".post" + increment(v.Post()) + ".dev0")
	case letters != "":
		return made(text + letters + number + ".dev0"), made(text + letters + increment(number) + ".dev0")
	}
	return made(text + ".dev0"), made(text + ".dev" + increment(v.Dev()))
}

// made reads a version that was put together from the parts of one; the zero
// value if it passes a limit of the reader.
func made(text string) pep440.Version {
	v, err := pep440.Parse(text)
	if err != nil {
		return pep440.Version{}
	}
	return v
}

// increment adds one to decimal digits.
func increment(digits string) string {
	b := []byte(digits)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < '9' {
			b[i]++
			return string(b)
		}
		b[i] = '0'
	}
	return "1" + string(b)
}
