package plain

import (
	"bytes"
	"encoding/json"
	"io"
)

// Encode writes a document as indented JSON in which no string is a command to
// a terminal or a CI system, in one write.
func Encode(w io.Writer, doc any) error { return encode(w, doc, "  ") }

// EncodeLine writes a document as Encode does, on one line, which a log keeps
// whole.
func EncodeLine(w io.Writer, doc any) error { return encode(w, doc, "") }

func encode(w io.Writer, doc any, indent string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := w.Write(JSON(b.Bytes()))
	return err
}
