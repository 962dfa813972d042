package frontend

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/frontend/gateway/client"
	"github.com/moby/buildkit/frontend/subrequests/convertllb"
	"github.com/moby/buildkit/solver/pb"
	digest "github.com/opencontainers/go-digest"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// convert runs the pass over the definition in the answer of the convertllb
// subrequest. An answer in which nothing moves is returned as it came.
func (g *gateway) convert(ctx context.Context, res *client.Result) (*client.Result, error) {
	def, err := readConverted(res.Metadata["result.json"])
	if err != nil {
		return nil, fmt.Errorf("failed to read the convertllb answer: %w", err)
	}
	moved, err := g.move(ctx, def, g.tell)
	if err != nil || moved == def {
		return res, err
	}
	out, err := writeConverted(moved)
	if err != nil {
		return nil, fmt.Errorf("failed to write the convertllb answer: %w", err)
	}
	return out.ToResult()
}

// readConverted returns the definition that a convertllb answer holds: its ops
// come as an unordered map of JSON, by the digests of their bytes.
func readConverted(answer []byte) (*pb.Definition, error) {
	var in struct {
		Def      map[digest.Digest]json.RawMessage `json:"def"`
		Metadata map[digest.Digest]llb.OpMetadata  `json:"metadata"`
		Source   json.RawMessage                   `json:"source"`
	}
	if err := json.Unmarshal(answer, &in); err != nil {
		return nil, err
	}
	ops := make(map[digest.Digest]*pb.Op, len(in.Def))
	bytes := make(map[digest.Digest][]byte, len(in.Def))
	for dgst, dt := range in.Def {
		op := &pb.Op{}
		if err := protojson.Unmarshal(dt, op); err != nil {
			return nil, err
		}
		raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(op)
		if err != nil {
			return nil, err
		}
		if digest.FromBytes(raw) != dgst {
			return nil, fmt.Errorf("op %s does not have its digest", dgst)
		}
		ops[dgst], bytes[dgst] = op, raw
	}
	def := llb.Definition{Metadata: in.Metadata, Source: &pb.Source{}}
	if err := protojson.Unmarshal(in.Source, def.Source); err != nil {
		return nil, err
	}
	for _, dgst := range inputsFirst(ops) {
		def.Def = append(def.Def, bytes[dgst])
	}
	return def.ToPB(), nil
}

// inputsFirst returns the digests of ops so that each follows its inputs. The
// op that nothing uses, which names the result, comes last.
func inputsFirst(ops map[digest.Digest]*pb.Op) []digest.Digest {
	var order []digest.Digest
	seen := map[digest.Digest]bool{}
	var visit func(digest.Digest)
	visit = func(dgst digest.Digest) {
		op, ok := ops[dgst]
		if !ok || seen[dgst] {
			return
		}
		seen[dgst] = true
		for _, in := range op.Inputs {
			visit(digest.Digest(in.Digest))
		}
		order = append(order, dgst)
	}
	var last digest.Digest
	for _, dgst := range slices.Sorted(maps.Keys(ops)) {
		if ops[dgst].Op == nil {
			last = dgst
			continue
		}
		visit(dgst)
	}
	visit(last)
	return order
}

func writeConverted(in *pb.Definition) (*convertllb.Result, error) {
	var def llb.Definition
	def.FromPB(in)
	out := &convertllb.Result{
		Def:      make(map[digest.Digest]*pb.Op, len(def.Def)),
		Metadata: def.Metadata,
		Source:   def.Source,
	}
	for _, raw := range def.Def {
		op := &pb.Op{}
		if err := proto.Unmarshal(raw, op); err != nil {
			return nil, err
		}
		out.Def[digest.FromBytes(raw)] = op
	}
	return out, nil
}
