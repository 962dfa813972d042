package builder

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
)

// noDefaultAttestations is buildx's variable that leaves provenance out unless it
// is asked for.
const noDefaultAttestations = "BUILDX_NO_DEFAULT_ATTESTATIONS"

// attestations are the options for --attest, --sbom and --provenance, by type.
// One that is turned off has no option: off says that provenance was.
func attestations(o Options) (opts map[string]string, provenance bool, err error) {
	list := append([]string(nil), o.Attests...)
	for _, short := range []struct{ kind, value string }{{"sbom", o.SBOM}, {"provenance", o.Provenance}} {
		if short.value == "" {
			continue
		}
		if on, err := strconv.ParseBool(short.value); err == nil {
			list = append(list, fmt.Sprintf("type=%s,disabled=%t", short.kind, !on))
			continue
		}
		list = append(list, "type="+short.kind+","+short.value)
	}
	opts, all := map[string]string{}, map[string]attributes{}
	for _, value := range list {
		fields, err := parseFields("--attest", value)
		if err != nil {
			return nil, false, err
		}
		kind := fields["type"]
		switch kind {
		case "sbom", "provenance":
		case "":
			return nil, false, errors.New("--attest has no type: write type=sbom or type=provenance")
		default:
			return nil, false, fmt.Errorf("--attest: there is no type %q; known are sbom and provenance", kind)
		}
		all[kind] = fields
	}
	for kind, fields := range all {
		if off, _ := strconv.ParseBool(fields.take("disabled")); !off {
			opts["attest:"+kind] = fields.String()
		}
	}
	_, asked := all["provenance"]
	return maps.Clone(opts), asked, nil
}
