package rewrite

import "github.com/loopx/loopx-frontend/rewrite/textmap"

// Fixed returns the file with every fix of its findings made: the plan's edits,
// and each Fix that does not overlap what is made already. n is the number of
// findings whose fix is in the text.
func (p *Plan) Fixed() (text []byte, n int) {
	edits := append([]Edit(nil), p.Edits...)
	out, _ := textmap.Apply(string(p.src), edits)
	for _, f := range p.Findings {
		if len(f.Edits) > 0 {
			n++
		}
		if len(f.Fix) == 0 {
			continue
		}
		more := append(edits[:len(edits):len(edits)], f.Fix...)
		if with, ok := textmap.Apply(string(p.src), more); ok {
			out, edits = with, more
			n++
		}
	}
	return []byte(out), n
}
