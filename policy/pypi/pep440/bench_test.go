package pep440

import (
	"bytes"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

var sinkSet Set

func BenchmarkParse(b *testing.B) {
	for _, text := range []string{"83.0.0", "1!2.0.0rc1.post2.dev3+local.4"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompare(b *testing.B) {
	x, y := mustParse(b, "2024.10.8.post1"), mustParse(b, "2024.10.8")
	b.ReportAllocs()
	for b.Loop() {
		if x.Compare(y) != 1 {
			b.Fatal("wrong order")
		}
	}
}

func BenchmarkContains(b *testing.B) {
	s, v := mustSpecifiers(b, ">=70.1,<84,!=82.*,!=81.0.1"), mustParse(b, "83.0.0+local")
	b.ReportAllocs()
	for b.Loop() {
		if !s.Contains(v, PreDefault) {
			b.Fatal("wrong answer")
		}
	}
}

func BenchmarkSet(b *testing.B) {
	for _, text := range []string{">=70.1,<84", ">=70.1,<84,!=82.*,!=81.0.1"} {
		s := mustSpecifiers(b, text)
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sinkSet = s.Set()
			}
		})
	}
}

// BenchmarkRequirements reads 20,000 specifiers of the vectors and asks of each
// what it admits below a floor.
func BenchmarkRequirements(b *testing.B) {
	rows := loadVectors(b).Contains
	floor := mustParse(b, "83.0.0")
	below := Between(nil, &floor)
	b.ReportAllocs()
	for b.Loop() {
		for i := range 20_000 {
			s, err := ParseSpecifiers(rows[i%len(rows)].Spec)
			if err != nil {
				b.Fatal(err)
			}
			sinkSet = s.EffectiveIn(below, false)
		}
	}
}

// askPackaging reads a specifier and versions per line, tabs between them, and
// prints how many nanoseconds one pass of reading and answering takes, then
// the number of versions admitted. The best of three passes counts.
const askPackaging = `
import sys, time
from pip._vendor.packaging.specifiers import SpecifierSet
from pip._vendor.packaging.version import Version
rows = [line.split("\t") for line in sys.stdin.read().split("\n") if line]
best = None
for _ in range(3):
    start, admitted = time.perf_counter_ns(), 0
    for spec, *versions in rows:
        specifiers = SpecifierSet(spec)
        for text in versions:
            admitted += specifiers.contains(Version(text), prereleases=True)
    taken = time.perf_counter_ns() - start
    best = taken if best is None else min(best, taken)
print(best, admitted)
`

// BenchmarkVectors reads the specifiers and versions of the vectors and
// answers which are admitted. x-packaging is how many times as long Python's
// packaging takes for the same, in the copy that the python3 on the PATH has
// in its pip; the best pass of each counts. It needs python3 with pip.
func BenchmarkVectors(b *testing.B) {
	rows := plainRows(b)
	python, admitted := packagingTime(b, rows)
	b.ReportAllocs()
	best := time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		got := answer(b, rows)
		best = min(best, time.Since(start))
		if got*10 < admitted*9 || got*9 > admitted*10 {
			b.Fatalf("%d versions admitted, packaging admits %d", got, admitted)
		}
	}
	b.ReportMetric(float64(python)/float64(best), "x-packaging")
}

// plainRows returns a specifier and versions per row, all without tabs and
// line ends, and without ===.
func plainRows(b *testing.B) [][]string {
	b.Helper()
	var rows [][]string
	for _, row := range loadVectors(b).Contains {
		texts := []string{row.Spec}
		for _, v := range row.V {
			if _, err := Parse(v); err == nil {
				texts = append(texts, v)
			}
		}
		if !strings.ContainsAny(strings.Join(texts, ""), "\t\n\r") && !strings.Contains(row.Spec, "===") {
			rows = append(rows, texts)
		}
	}
	return rows
}

func answer(b *testing.B, rows [][]string) (admitted int) {
	b.Helper()
	for _, row := range rows {
		s, err := ParseSpecifiers(row[0])
		if err != nil {
			b.Fatal(err)
		}
		for _, text := range row[1:] {
			v, err := Parse(text)
			if err != nil {
				b.Fatal(err)
			}
			if s.Contains(v, PreYes) {
				admitted++
			}
		}
	}
	return admitted
}

// packagingTime returns how long Python takes for the rows, and how many
// versions it admits: old releases part with ours on a few in a hundred.
func packagingTime(b *testing.B, rows [][]string) (time.Duration, int) {
	b.Helper()
	var input bytes.Buffer
	for _, row := range rows {
		input.WriteString(strings.Join(row, "\t") + "\n")
	}
	python := exec.Command("python3", "-W", "ignore", "-c", askPackaging)
	python.Stdin = &input
	out, err := python.Output()
	if err != nil {
		b.Fatalf("this benchmark needs python3 with pip on the PATH, to compare with the packaging library: %v", err)
	}
	taken, count, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	nanoseconds, err := strconv.ParseInt(taken, 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	admitted, err := strconv.Atoi(count)
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(nanoseconds), admitted
}
