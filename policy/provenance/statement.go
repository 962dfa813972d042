package provenance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/loopx/loopx-frontend/policy"
)

// Statement is an in-toto statement, version 0.1 or 1
// (https://github.com/in-toto/attestation/tree/main/spec).
type Statement struct {
	// Type says that it is one, and PredicateType what it says.
	Type, PredicateType string
	// Subjects are what it is about.
	Subjects  []Subject
	Predicate json.RawMessage
}

// ReadStatement reads a statement. In a document that is none, but a JSON object,
// all fields are empty.
func ReadStatement(data []byte) (*Statement, error) {
	var doc struct {
		Type          string `json:"_type"`
		PredicateType string `json:"predicateType"`
		Subject       []struct {
			Name   string            `json:"name"`
			Digest map[string]string `json:"digest"`
		} `json:"subject"`
		Predicate json.RawMessage `json:"predicate"`
	}
	if data = bytes.TrimSpace(data); len(data) == 0 || data[0] != '{' {
		return nil, errors.New("the statement is no JSON object")
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("the statement can't be read: %w", err)
	}
	s := &Statement{Type: doc.Type, PredicateType: doc.PredicateType, Predicate: doc.Predicate}
	for _, sub := range doc.Subject {
		s.Subjects = append(s.Subjects, Subject{Name: policy.Redact(sub.Name), Digest: bestDigest(sub.Digest)})
	}
	return s, nil
}
