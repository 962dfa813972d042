package pep723_test

import (
	"fmt"
	"strings"

	"github.com/loopx/loopx-frontend/policy/pypi/pep723"
)

func ExampleFind() {
	const script = "# /// script\n# dependencies = [\n#   \"requests<3\",\n# ]\n# ///\nimport requests\n"
	block, err := pep723.Find([]byte(script))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(block.Text)
	at := block.Offset(strings.Index(block.Text, "<3"))
	fmt.Println(at, script[at:at+2])
	// Output:
	// dependencies = [
	//   "requests<3",
	// ]
	// 45 <3
}
