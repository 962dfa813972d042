package dockerfile

import "github.com/loopx/loopx-frontend/rewrite"

// Instructions returns a function that gives the instruction that a line of a
// Dockerfile is in, as a reviewer signs for it; "" for a file that can't be read.
// read returns the content of a file, buildArgs are as in [rewrite.Config]. Each
// file is read and planned once. The function is not safe for concurrent use.
func Instructions(read func(file string) ([]byte, error), buildArgs map[string]string) func(file string, line int) string {
	plans := map[string]*rewrite.Plan{}
	return func(file string, line int) string {
		plan, known := plans[file]
		if !known {
			if text, err := read(file); err == nil {
				plan, _ = rewrite.New(text, rewrite.Config{BuildArgs: buildArgs}) // nil: what BuildKit can't read has none
			}
			plans[file] = plan
		}
		if plan == nil {
			return ""
		}
		at := rewrite.Range{Start: rewrite.Position{Line: line}}
		return plan.Instruction(rewrite.Finding{Range: at})
	}
}
