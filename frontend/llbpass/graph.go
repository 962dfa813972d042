package llbpass

import (
	"fmt"
	"maps"
	"slices"

	"github.com/moby/buildkit/solver/pb"
	digest "github.com/opencontainers/go-digest"
	"google.golang.org/protobuf/proto"
)

// vertex is one op of a definition. Its digest is that of raw.
type vertex struct {
	old    string // digest in the definition that came in, "" for an op of ours
	digest string
	raw    []byte
	op     *pb.Op
	meta   *pb.OpMetadata
	// replaced is set once an edited copy stands in for the op; the op goes
	// if nothing else uses it.
	replaced bool
}

func newVertex(raw []byte) (*vertex, error) {
	op := &pb.Op{}
	if err := proto.Unmarshal(raw, op); err != nil {
		return nil, fmt.Errorf("failed to parse llb proto op: %w", err)
	}
	return &vertex{digest: digest.FromBytes(raw).String(), raw: raw, op: op}, nil
}

// graph is a definition on its way from one set of digests to another. Ops are
// recorded in their order, inputs first, so each finds its inputs' new digests.
type graph struct {
	in       *pb.Definition
	vertices []*vertex           // as they came in
	out      []*vertex           // as recorded
	recorded map[string]*vertex  // by new digest
	renamed  map[string]string   // old digest to new digest
	users    map[string][]string // old digest to those of the ops that it feeds
	changed  bool
}

func newGraph(def *pb.Definition) (*graph, error) {
	g := &graph{
		in:       def,
		recorded: make(map[string]*vertex, len(def.Def)),
		renamed:  make(map[string]string, len(def.Def)),
		users:    map[string][]string{},
	}
	for _, raw := range def.Def {
		v, err := newVertex(raw)
		if err != nil {
			return nil, err
		}
		v.old, v.meta = v.digest, def.Metadata[v.digest]
		g.vertices = append(g.vertices, v)
		for _, in := range v.op.Inputs {
			g.users[in.Digest] = append(g.users[in.Digest], v.old)
		}
	}
	return g, nil
}

// rename points the inputs of v to the new digests, and reports whether any
// of them changed.
func (g *graph) rename(v *vertex) bool {
	changed := false
	for _, in := range v.op.Inputs {
		if to, ok := g.renamed[in.Digest]; ok && to != in.Digest {
			in.Digest = to
			changed = true
		}
	}
	return changed
}

// record appends v; edited says that its op differs from its bytes. An op that
// has become equal to an earlier one is recorded once.
func (g *graph) record(v *vertex, edited bool) error {
	if edited {
		raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(v.op)
		if err != nil {
			return fmt.Errorf("failed to marshal llb proto op: %w", err)
		}
		v.raw, v.digest = raw, digest.FromBytes(raw).String()
		g.changed = true
	}
	if v.old != "" {
		g.renamed[v.old] = v.digest
	}
	if _, ok := g.recorded[v.digest]; ok {
		return nil
	}
	g.recorded[v.digest] = v
	g.out = append(g.out, v)
	return nil
}

// definition returns what was recorded. Keys of the metadata and of the source
// locations are renamed with the ops; the rest is shared with the input.
func (g *graph) definition() *pb.Definition {
	g.prune()
	def := &pb.Definition{Metadata: make(map[string]*pb.OpMetadata, len(g.out))}
	for _, v := range g.out {
		def.Def = append(def.Def, v.raw)
		if v.meta != nil {
			def.Metadata[v.digest] = v.meta
		}
	}
	if src := g.in.Source; src != nil {
		def.Source = &pb.Source{Infos: src.Infos, Locations: g.locations(src.Locations)}
	}
	return def
}

// locations renames the keys; ops that have become one share their locations.
func (g *graph) locations(in map[string]*pb.Locations) map[string]*pb.Locations {
	out := make(map[string]*pb.Locations, len(in))
	for _, v := range g.vertices {
		locs, ok := in[v.old]
		if !ok || g.recorded[v.digest] == nil {
			continue
		}
		if have, ok := out[v.digest]; ok {
			locs = &pb.Locations{Locations: slices.Concat(have.GetLocations(), locs.GetLocations())}
		}
		out[v.digest] = locs
	}
	return out
}

// prune drops the ops that an edited copy replaced and nothing uses any more.
func (g *graph) prune() {
	used := map[string]bool{}
	for _, v := range g.out {
		for _, in := range v.op.Inputs {
			used[in.Digest] = true
		}
	}
	g.out = slices.DeleteFunc(g.out, func(v *vertex) bool {
		unused := v.replaced && !used[v.digest]
		if unused {
			delete(g.recorded, v.digest)
		}
		return unused
	})
}

// describe returns the metadata with suffix appended to the vertex's name. A
// vertex without a name of its own stays without.
func describe(meta *pb.OpMetadata, suffix string) *pb.OpMetadata {
	name, ok := meta.GetDescription()[customName]
	if !ok || suffix == "" {
		return meta
	}
	meta = meta.CloneVT()
	meta.Description = maps.Clone(meta.Description)
	meta.Description[customName] = name + suffix
	return meta
}

// named returns the metadata with another name for the vertex.
func named(meta *pb.OpMetadata, name string) *pb.OpMetadata {
	meta = meta.CloneVT()
	if meta == nil {
		meta = &pb.OpMetadata{}
	}
	if meta.Description == nil {
		meta.Description = map[string]string{}
	}
	meta.Description[customName] = name
	return meta
}

// customName is the key under which llb.WithCustomName keeps a vertex's name.
const customName = "llb.customname"
