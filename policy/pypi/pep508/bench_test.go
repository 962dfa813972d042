package pep508

import "testing"

func BenchmarkParse(b *testing.B) {
	for _, bench := range []struct{ name, text string }{
		{"name", "setuptools"},
		{"bounds", "setuptools>=83.0.0,<84"},
		{"marker", `importlib-metadata[test]>=4.6; python_version < "3.10" and sys_platform == "win32"`},
		{"url", "a @ https://example.com/a-1.0-py3-none-any.whl#sha256=abc"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(bench.text)))
			for b.Loop() {
				if _, err := Parse(bench.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkVectors(b *testing.B) {
	a := readAnswers(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, r := range a.Requirements {
			if r.OK {
				if _, err := Parse(r.In); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}

func BenchmarkEval(b *testing.B) {
	m, env := parseMarker(b, `python_version < "3.10" and sys_platform == "win32"`), linux()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Eval(env); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNever(b *testing.B) {
	m, set := parseMarker(b, `python_version < "3.8" and sys_platform == "win32"`), pythons(b, ">=3.9")
	b.ReportAllocs()
	for b.Loop() {
		if !m.Never(set) {
			b.Fatal("not proven")
		}
	}
}
