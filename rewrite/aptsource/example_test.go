package aptsource_test

import (
	"fmt"

	"github.com/loopx/loopx-frontend/rewrite/aptsource"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

func ExampleRoute() {
	const source = `Types: deb
# http://snapshot.debian.org/archive/debian/20250520T000000Z
URIs: http://deb.debian.org/debian http://127.0.0.1:3142/debian
Suites: bookworm bookworm-updates
Components: main
`
	table, err := route.NewTable(route.Config{})
	if err != nil {
		panic(err)
	}
	entries, problems := aptsource.ParseSources(textmap.Identity(source))
	fmt.Println(len(problems), "problems")
	var edits []textmap.Edit
	for _, r := range aptsource.Route(entries, table) {
		fmt.Printf("line %d: %s: %s\n", r.Line, r.Decoded, r.Decision.Rule)
		edits = append(edits, r.Edits...)
	}
	out, _ := textmap.Apply(source, edits)
	fmt.Print(out)
	// Output:
	// 0 problems
	// line 3: http://deb.debian.org/debian: archive
	// line 3: http://127.0.0.1:3142/debian: loopback
	// Types: deb
	// # http://snapshot.debian.org/archive/debian/20250520T000000Z
	// URIs: https://deb.debian.org/debian http://127.0.0.1:3142/debian
	// Suites: bookworm bookworm-updates
	// Components: main
}

func ExampleParseLine() {
	line := textmap.Identity("deb [arch=${ARCH} trusted=yes] http://packages.example.com/apt ${CODENAME} main")
	e, ok, _ := aptsource.ParseLine(line)
	fmt.Println(ok, e.URI.String(), e.Suites, e.Components)
	fmt.Println(aptsource.Suspicious(e))
	// Output:
	// true http://packages.example.com/apt [${CODENAME}] [main]
	// [trusted=yes]
}
