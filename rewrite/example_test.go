package rewrite_test

import (
	"fmt"

	"github.com/loopx/loopx-frontend/rewrite"
)

func ExampleNew() {
	src := []byte(`FROM debian
ENV URL=http://example.com/a.tgz
RUN apt-get update && curl -O $URL # http://example.com/comment
RUN curl -O http://example.com:8080/b
`)
	plan, err := rewrite.New(src, rewrite.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s", plan.Bytes())
	for _, f := range plan.Findings {
		fmt.Println(f.Range.Start.Line, f.Severity, f.Rule)
	}
	for _, g := range plan.Guards {
		fmt.Println(g.Range.Start.Line, "needs", g.Needs, "as it", g.Reason)
	}
	// Output:
	// FROM debian
	// ENV URL=https://example.com/a.tgz
	// RUN apt-get update && curl -O $URL # http://example.com/comment
	// RUN curl -O http://example.com:8080/b
	// 2 advisory ClearTextFetch
	// 4 blocker ClearTextRefused
	// 3 needs both as it runs apt-get
}
