package review_test

import (
	"fmt"
	"testing"

	"github.com/loopx/loopx-frontend/internal/gitbed"
	"github.com/loopx/loopx-frontend/policy/review"
)

// BenchmarkReview reviews a change of 30 files in a repository of 5,000 files with
// 300 Dockerfiles, 100 workflows and compose files among them. The repository is
// packed, as a clone is.
func BenchmarkReview(b *testing.B) {
	r := gitbed.New(b)
	files := gitbed.Files{}
	for i := range 4600 {
		files[fmt.Sprintf("src/%d/%d.go", i/50, i)] = gitbed.Text(fmt.Sprintf("package p%d\n\nfunc f() {}\n", i))
	}
	for i := range 300 {
		files[fmt.Sprintf("services/%d/Dockerfile", i)] = gitbed.Text(dockerfile(i, ""))
	}
	for i := range 50 {
		files[fmt.Sprintf(".github/workflows/%d.yml", i)] = gitbed.Text(fmt.Sprintf("on: push\njobs:\n  a:\n    steps:\n      - uses: docker/build-push-action@v6\n        with: {context: services/%d}\n      - run: docker build -f services/%d/Dockerfile .\n", i, i))
		files[fmt.Sprintf("services/%d/compose.yaml", i)] = gitbed.Text("services:\n  a: {build: .}\n")
	}
	base := r.Commit("main", "", files)
	change := gitbed.Files{}
	for i := range 30 {
		change[fmt.Sprintf("services/%d/Dockerfile", i)] = gitbed.Text(dockerfile(i, "RUN curl -k https://a.example.com/x\n"))
	}
	head := r.Commit("topic", base, change)
	r.Git("repack", "-a", "-d", "-q")
	for b.Loop() {
		repo := open(b, r)
		if got := compare(b, repo, base, head, nil); got.Verdict != review.RequestChanges || len(got.New) != 30 {
			b.Fatal(got.Verdict, len(got.New))
		}
	}
}

// dockerfile is one of a usual size.
func dockerfile(i int, more string) string {
	return fmt.Sprintf("FROM debian:trixie-slim AS build\nARG VERSION=%d\nWORKDIR /src\nRUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl git && rm -rf /var/lib/apt/lists/*\n"+
		"COPY . .\nRUN curl -fsSL https://example.com/tool-$VERSION.tar.gz -o /tmp/t.tgz && tar xzf /tmp/t.tgz && make\n%sFROM debian:trixie-slim\nCOPY --from=build /src/out /usr/bin/app\nENTRYPOINT [\"app\"]\n", i, more)
}
