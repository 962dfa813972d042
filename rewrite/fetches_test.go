package rewrite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFetches checks the list behind "explain": every URL of every
// instruction, in file order, with who uses it and what is decided.
func TestFetches(t *testing.T) {
	const src = `ARG GLOBAL=http://example.com/global
FROM debian AS Build
ENV API=http://api.example.com/ https_proxy=http://proxy.example.com:3128
ARG URL=http://example.com/arg
RUN curl -O $URL http://localhost/a https://example.com/b
FROM debian
ADD http://example.com:8080/c /c
COPY <<EOF /index.html
<a href="http://example.com/d">
EOF
LABEL a=http://example.com/e
ONBUILD RUN wget http://example.com/f
CMD ["curl", "http://example.com/g"]
`
	p, err := New([]byte(src), Config{})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range p.Fetches {
		fmt.Fprintf(&got, "%d:%d stage %q %s %s: %s; %s\n", f.Range.Start.Line, f.Range.Start.Column,
			f.Stage, f.Instruction, f.Decision.Action, f.URL, f.Reason)
	}
	want := `1:12 stage "" ARG keep: http://example.com/global; value of GLOBAL, which no command of the build fetches
3:9 stage "build" ENV keep: http://api.example.com/; value of API, which no command of the build fetches
3:45 stage "build" ENV keep: http://proxy.example.com:3128; a proxy's address
4:9 stage "build" RUN upgrade: http://example.com/arg; argument of curl
5:18 stage "build" RUN keep: http://localhost/a; argument of curl
5:37 stage "build" RUN keep: https://example.com/b; argument of curl
7:5 stage "1" ADD refuse: http://example.com:8080/c; source of ADD
9:10 stage "1" COPY keep: http://example.com/d; text of a file
11:9 stage "1" LABEL keep: http://example.com/e; text of LABEL
12:18 stage "1" ONBUILD RUN upgrade: http://example.com/f; argument of wget
13:15 stage "1" CMD keep: http://example.com/g; runs in the container
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
