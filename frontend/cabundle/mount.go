package cabundle

import (
	"context"
	"fmt"
	"time"

	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/solver/pb"
)

// VertexName is how the progress output calls the op that makes the bundle.
const VertexName = "[internal] loopx: CA bundle"

// Op returns the file op whose only output is a folder with the bundle and
// wget's configuration, made on scratch, and its metadata. It is the same for
// every platform. The files are mode 0444 and dated 1970-01-01, so that equal
// bundles are equal ops, and a RUN that copies the folder stays reproducible.
func (b Bundle) Op(ctx context.Context) ([]byte, *pb.OpMetadata, error) {
	epoch := llb.WithCreatedTime(time.Unix(0, 0).UTC())
	files := llb.Mkfile("/"+FileName, 0o444, b.PEM(), epoch).
		Mkfile("/"+WgetRC, 0o444, b.WgetRCContent(), epoch)
	def, err := llb.Scratch().File(files, llb.WithCustomName(VertexName)).Marshal(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("CA bundle: %w", err)
	}
	head, err := def.Head()
	if err != nil {
		return nil, nil, fmt.Errorf("CA bundle: %w", err)
	}
	return def.Def[0], def.ToPB().Metadata[string(head)], nil
}
