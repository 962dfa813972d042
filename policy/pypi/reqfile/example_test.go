package reqfile_test

import (
	"fmt"
	"testing/fstest"

	"github.com/loopx/loopx-frontend/policy/pypi/reqfile"
)

func ExampleRead() {
	files := fstest.MapFS{
		"requirements.txt": {Data: []byte("-c constraints.txt\nsetuptools>=70 \\\n    --hash=sha256:aaaa\n")},
		"constraints.txt":  {Data: []byte("setuptools>=83.0.0  # policy\n")},
	}
	set, err := reqfile.Read("requirements.txt", reqfile.Options{Open: reqfile.OpenFS(files, 0)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range set.Entries {
		start, end, ok := e.Span(len("setuptools"), len("setuptools>=70"))
		fmt.Printf("%s:%d %q constraint=%t bytes %d-%d %t\n", e.File, e.Line, e.Text, e.Constraint, start, end, ok)
	}
	// Output:
	// constraints.txt:1 "setuptools>=83.0.0" constraint=true bytes 10-14 true
	// requirements.txt:2 "setuptools>=70    " constraint=false bytes 29-33 true
}
