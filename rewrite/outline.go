package rewrite

import (
	"strconv"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
)

// Outline is what a Dockerfile is built from and what it runs.
type Outline struct {
	// Stages are in the order of the file.
	Stages []Stage
	// Commands are those of [Commands].
	Commands []Command
}

// StageAt returns the index of the stage that a byte of the file is in, -1 if it
// stands before the first.
func (o *Outline) StageAt(offset int) int {
	for i := len(o.Stages) - 1; i >= 0; i-- {
		if o.Stages[i].Range.Start.Offset <= offset {
			return i
		}
	}
	return -1
}

// Stage is one FROM.
type Stage struct {
	// Name is the name, or the index from 0.
	Name string
	// Range is that of the instruction FROM.
	Range Range
	// Base is the index of the stage that it is built from, -1 if that is an
	// image.
	Base int
	// Image is the image that it is built from, "" if that is a stage. A part
	// that is not known stands as ${NAME}.
	Image string
	// Uses are the other images that it takes files from, by COPY --from and by
	// mounts.
	Uses []Use
}

// Use is an image that an instruction takes files from.
type Use struct {
	Image string
	Range Range
}

// stage adds what FROM says.
func (r *commandReader) stage(in *instruction, c *instructions.Stage, index int) {
	out := Stage{Name: c.Name, Range: in.span, Base: -1, Image: c.BaseName}
	if out.Name == "" {
		out.Name = strconv.Itoa(index)
	}
	x := expansion{env: &r.global, escape: r.file.escape}
	if name, ok := x.expand(textmap.Synthetic(c.BaseName)); ok {
		out.Image = name.String()
	}
	if out.Base = r.named(out.Image); out.Base >= 0 {
		out.Image = ""
	}
	r.out.Stages = append(r.out.Stages, out)
}

// named returns the last stage so far that has the name, -1 if none has.
func (r *commandReader) named(name string) int {
	for i := len(r.out.Stages) - 1; i >= 0; i-- {
		if s := r.out.Stages[i]; strings.EqualFold(s.Name, name) && s.Name != strconv.Itoa(i) {
			return i
		}
	}
	return -1
}

// uses adds the images that an instruction takes files from: what is no name and
// no index of a stage.
func (r *commandReader) uses(st *stage, in *instruction) {
	if st == nil || len(r.out.Stages) == 0 {
		return
	}
	x := expansion{env: &st.env, escape: r.file.escape}
	at := &r.out.Stages[len(r.out.Stages)-1]
	for _, name := range sources(in.cmd) {
		if text, ok := x.expand(textmap.Synthetic(name)); ok {
			name = text.String()
		}
		if i, err := strconv.Atoi(name); r.named(name) >= 0 || err == nil && i >= 0 && i < len(r.out.Stages) {
			continue
		}
		at.Uses = append(at.Uses, Use{Image: name, Range: in.span})
	}
}
