package plain

import (
	"bytes"
	"encoding/json"
	"io"
)

// Encode writes a document as indented JSON in which no string is a command to
// a terminal or a CI system, in one write.
func Encode(w io.Writer, doc any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := w.Write(JSON(b.Bytes()))
	return err
}
