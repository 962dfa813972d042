package reqfile

import (
	"fmt"
	"strings"
	"testing"
)

func benchRead(b *testing.B, text string) {
	files := map[string][]byte{"requirements.txt": []byte(text)}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read("requirements.txt", Options{Open: opener(files), Limits: Limits{Line: 1 << 24, Joined: 1 << 24}}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPins is a file of a thousand pins with a comment each.
func BenchmarkPins(b *testing.B) {
	var s strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&s, "package-%d>=1.%d,<2 ; python_version >= \"3.9\"\n    # via something\n", i, i)
	}
	benchRead(b, s.String())
}

// BenchmarkHashes is what pip-compile --generate-hashes writes: two hashes a
// requirement.
func BenchmarkHashes(b *testing.B) {
	var s strings.Builder
	hash := strings.Repeat("0123456789abcdef", 4)
	for i := range 1000 {
		fmt.Fprintf(&s, "package-%d==1.%d \\\n    --hash=sha256:%s \\\n    --hash=sha256:%s\n", i, i, hash, hash)
	}
	benchRead(b, s.String())
}

// BenchmarkLongLine is one line of ten million bytes, plain, of variables, of
// options, of quotes, of comment signs, of joins.
func BenchmarkLongLine(b *testing.B) {
	for name, unit := range map[string]string{"plain": "a", "variables": "${V}", "options": " --hash=sha256:a", "quotes": " -e'x'", "hashes": "#", "joins": "a\\\n", "spaces": " "} {
		b.Run(name, func(b *testing.B) { benchRead(b, "a"+strings.Repeat(unit, 10_000_000/len(unit))) })
	}
}
