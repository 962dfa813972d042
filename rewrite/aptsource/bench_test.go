package aptsource

import (
	"strings"
	"testing"

	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// BenchmarkParse reads stock files, and files a thousand times their size: the
// time per byte must not grow.
func BenchmarkParse(b *testing.B) {
	for _, g := range goldens(b) {
		if !strings.HasSuffix(g.path, "stock_bookworm.txtar") && !strings.HasSuffix(g.path, "stock_jammy.txtar") {
			continue
		}
		for name, text := range map[string]string{g.format.String(): g.text, g.format.String() + " x1000": strings.Repeat(g.text+"\n", 1000)} {
			t := textmap.Identity(text)
			b.Run(name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					Parse(t, g.format)
				}
			})
		}
	}
}

// BenchmarkRoute decides a stock file and finds its edits.
func BenchmarkRoute(b *testing.B) {
	table, err := route.NewTable(route.Config{})
	if err != nil {
		b.Fatal(err)
	}
	for _, g := range goldens(b) {
		if strings.HasSuffix(g.path, "stock_jammy.txtar") {
			entries, _ := Parse(textmap.Identity(g.text), g.format)
			for b.Loop() {
				Route(entries, table)
			}
		}
	}
}
