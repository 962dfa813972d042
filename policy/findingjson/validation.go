package findingjson

import (
	"errors"
	"fmt"
	"strings"

	"github.com/loopx/loopx-frontend/policy"
	"github.com/loopx/loopx-frontend/policy/jsonstream"
)

// validation reads one item of "validations". It is required unless it says
// that it is not.
func (in *reader) validation() error {
	line := in.json.Line()
	out := policy.Check{Required: true}
	var status, kind, class, detail string
	err := in.json.Object(func(name string) error {
		var target any
		switch name {
		case "name":
			target = &out.Name
		case "status":
			target = &status
		case "required":
			target = &out.Required
		case "type":
			target = &kind
		case "class":
			target = &class
		case "detail":
			target = &detail
		case "message":
			target = &out.Message
		case "tool":
			target = (*tool)(&out.Tool)
		default:
			if isCarried(name) {
				return in.json.Skip()
			}
			return in.unknown(name)
		}
		return named(name, in.json.Value(target))
	})
	if err != nil {
		return err
	}
	if err := complete(&out, status, kind, class, detail); err != nil {
		return &jsonstream.Error{Line: line, Message: err.Error()}
	}
	in.out.Checks = append(in.out.Checks, out)
	return nil
}

// complete checks a validation and fills in what has two names.
func complete(out *policy.Check, status, kind, class, detail string) (err error) {
	if strings.TrimSpace(out.Name) == "" {
		return errors.New(`a validation lacks "name"`)
	}
	if status == "" {
		return errors.New(`a validation lacks "status"`)
	}
	if out.Status, err = policy.ParseStatus(status); err != nil {
		return fmt.Errorf("the field \"status\": %w", err)
	}
	if class == "" {
		class = kind
	}
	if class == "" {
		class = string(policy.Validation)
	}
	if out.Class, err = policy.ParseClass(class); err != nil {
		return fmt.Errorf("the field \"type\": %w", err)
	}
	if out.Message == "" {
		out.Message = detail
	}
	return nil
}
