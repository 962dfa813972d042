package sourcepolicy

import (
	"encoding/json"

	spb "github.com/moby/buildkit/sourcepolicy/pb"
)

// JSON is the policy in the form that `buildctl build --source-policy-file` and
// buildx's EXPERIMENTAL_BUILDKIT_SOURCE_POLICY read.
func JSON(p *spb.Policy) ([]byte, error) {
	data, err := json.MarshalIndent(p, "", "  ")
	return append(data, '\n'), err
}
