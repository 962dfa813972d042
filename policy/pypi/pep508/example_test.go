package pep508_test

import (
	"fmt"

	"github.com/loopx/loopx-frontend/policy/pypi/pep440"
	"github.com/loopx/loopx-frontend/policy/pypi/pep508"
)

func ExampleParse() {
	const text = `Foo.Bar[tls] (>=1.0, <2) ; python_version<'3.8'`
	r, err := pep508.Parse(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r)
	fmt.Println(text[r.SpecInner.Start:r.SpecInner.End])
	fmt.Println(r.Marker.Eval(map[string]string{"python_version": "3.12"}))
	// Output:
	// Foo.Bar[tls]<2,>=1.0; python_version < "3.8"
	// >=1.0, <2
	// false <nil>
}

func ExampleMarker_Never() {
	m, err := pep508.ParseMarker(`python_version < "3.8" and sys_platform == "win32"`)
	if err != nil {
		fmt.Println(err)
		return
	}
	requires, err := pep440.ParseSpecifiers(">=3.9")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Never(requires.Set()), m.Never(pep440.All()))
	// Output: true false
}
