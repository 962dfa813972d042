package builder

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"os"

	"github.com/moby/buildkit/exporter/containerimage/exptypes"

	"github.com/loopx/loopx-frontend/cmd/loopxctl/internal/fault"
)

// writeFiles writes --iidfile and --metadata-file.
func (p *plan) writeFiles(answer map[string]string) error {
	if name := p.options.IIDFile; name != "" {
		if err := os.WriteFile(name, []byte(imageID(answer)), 0o644); err != nil {
			return fault.Of(name, "cannot be written", err)
		}
	}
	if name := p.options.MetadataFile; name != "" {
		data, err := metadata(answer)
		if err == nil {
			err = os.WriteFile(name, data, 0o644)
		}
		if err != nil {
			return fault.Of(name, "cannot be written", err)
		}
	}
	return nil
}

// imageID is what docker calls an image by: the digest of its configuration.
func imageID(answer map[string]string) string {
	return cmp.Or(answer[exptypes.ExporterImageConfigDigestKey], answer[exptypes.ExporterImageDigestKey])
}

// metadata is the exporter's answer as buildx writes it: values that are JSON,
// or JSON in base64, stand in it as such.
func metadata(answer map[string]string) ([]byte, error) {
	doc := map[string]any{}
	for key, value := range answer {
		doc[key] = value
		for _, data := range [][]byte{[]byte(value), fromBase64(value)} {
			if data = bytes.TrimSpace(data); len(data) > 0 && (data[0] == '{' || data[0] == '[') && json.Valid(data) {
				doc[key] = json.RawMessage(data)
			}
		}
	}
	data, err := json.MarshalIndent(doc, "", "  ")
	return append(data, '\n'), err
}

func fromBase64(s string) []byte {
	data, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil
	}
	return data
}
