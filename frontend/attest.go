package frontend

import (
	"context"
	"fmt"

	"github.com/loopx/loopx-frontend/policy/buildreport"
	"github.com/loopx/loopx-frontend/rewrite/route"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/exporter/containerimage/exptypes"
	"github.com/moby/buildkit/frontend/gateway/client"
	gwpb "github.com/moby/buildkit/frontend/gateway/pb"
	"github.com/moby/buildkit/solver/result"
)

// reportVariable asks for the report as an attestation of the image ("attest"),
// beside its provenance. Unless asked for there is none: the report names the
// operator's mirrors and host rules, and programs that read attestations may
// count on the provenance being the first.
const reportVariable = "LOOPX_REPORT"

// readReport reads LOOPX_REPORT, and reports whether it asks for an attestation.
func readReport(value string) (bool, error) {
	switch value {
	case "":
		return false, nil
	case "attest":
		return true, nil
	}
	return false, &route.ConfigError{
		Variable: reportVariable, Value: route.RedactText(value), Problem: "is not attest",
		Hint: "write attest, for the report as an attestation of the image, or leave it out",
	}
}

// attestPath is where the report is in the result that holds it.
const attestPath = "/report.json"

// attest adds the report to the attestations of each platform's image. The
// daemon makes the image the statement's subject.
func (g *gateway) attest(ctx context.Context, res *client.Result) error {
	if err := g.opts.Caps.Supports(gwpb.CapAttestations); err != nil {
		return fmt.Errorf("%s=attest: %w", reportVariable, err)
	}
	st := llb.Scratch().File(llb.Mkfile(attestPath, 0o444, res.Metadata[buildreport.Key]), llb.WithCustomName("[internal] loopx: the report"))
	def, err := st.Marshal(ctx)
	if err != nil {
		return err
	}
	solved, err := g.Client.Solve(ctx, client.SolveRequest{Definition: def.ToPB()})
	if err != nil {
		return err
	}
	ref, err := solved.SingleRef()
	if err != nil {
		return err
	}
	all, err := exptypes.ParsePlatforms(res.Metadata)
	if err != nil {
		return err
	}
	for _, p := range all.Platforms {
		res.AddAttestation(p.ID, client.Attestation{
			Kind: gwpb.AttestationKind_InToto, Ref: ref, Path: attestPath,
			InToto: result.InTotoAttestation{PredicateType: buildreport.Predicate},
		})
	}
	return nil
}
