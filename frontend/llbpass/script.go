package llbpass

import (
	"path"

	"github.com/loopx/loopx-frontend/rewrite/textmap"
	"github.com/moby/buildkit/solver/pb"
	"google.golang.org/protobuf/proto"
)

// pipes is where BuildKit mounts the file of a heredoc that starts with "#!".
const pipes = "/dev/pipes"

// script is the file behind the heredoc of an exec op: a Mkfile action of the
// op that feeds one of its mounts.
type script struct {
	vertex *vertex
	input  int // of the exec op
	action int // of the file op
}

// script returns the script that the exec op runs, nil if it runs none. It is
// the last word of the command, after the shell's own.
func (g *graph) script(op *pb.Op, e *pb.ExecOp) *script {
	if len(e.Meta.Args) == 0 {
		return nil
	}
	dir, name := path.Split(e.Meta.Args[len(e.Meta.Args)-1])
	if path.Clean(dir) != pipes {
		return nil
	}
	name = "/" + name
	for _, m := range e.Mounts {
		if path.Clean(m.Dest) != pipes || m.Input < 0 || int(m.Input) >= len(op.Inputs) {
			continue
		}
		v := g.recorded[op.Inputs[m.Input].Digest]
		if v == nil {
			continue
		}
		for i, a := range v.op.GetFile().GetActions() {
			if f := a.GetMkfile(); f != nil && path.Clean(f.Path) == name {
				return &script{vertex: v, input: int(m.Input), action: i}
			}
		}
	}
	return nil
}

func (s *script) text() string {
	if s == nil {
		return ""
	}
	return string(s.vertex.op.GetFile().Actions[s.action].GetMkfile().Data)
}

// replaceScript puts an edited copy of the file op in place of the script's.
// A copy, because another exec op may run the same file with other variables,
// and so to another effect.
func (r *run) replaceScript(v *vertex, s *script, edits []textmap.Edit) (bool, error) {
	if s == nil {
		return false, nil
	}
	data, ok := textmap.Apply(s.text(), edits)
	if !ok {
		return false, nil
	}
	op := proto.CloneOf(s.vertex.op)
	op.GetFile().Actions[s.action].GetMkfile().Data = []byte(data)
	copied := &vertex{op: op, meta: s.vertex.meta}
	if err := r.graph.record(copied, true); err != nil {
		return false, err
	}
	s.vertex.replaced = true
	v.op.Inputs[s.input].Digest = copied.digest
	return true, nil
}
