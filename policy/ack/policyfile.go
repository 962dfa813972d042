package ack

import "strconv"

// Policy is what an organisation may change of the rules. The zero value is
// the default.
type Policy struct {
	// MaxDays is how long an acknowledgement lasts at most; 0 is [MaxDays].
	MaxDays int
	// Unsigned lets entries without a signature count. Every report shows
	// them.
	Unsigned bool
}

func (p Policy) maxDays() int {
	if p.MaxDays == 0 {
		return MaxDays
	}
	return p.MaxDays
}

// ParsePolicy reads a policy: YAML with the keys max_days, a number from 1 on,
// and unsigned, true or false. The error is a [*SyntaxError].
func ParsePolicy(data []byte) (Policy, error) {
	var p Policy
	root, err := document(data)
	if root == nil || err != nil {
		return p, err
	}
	keys, err := mapping(root, "max_days", "unsigned")
	if err != nil {
		return p, err
	}
	r := reader{keys: keys, line: root.Line}
	if node := keys["max_days"]; node != nil {
		if p.MaxDays = r.number("max_days"); p.MaxDays < 1 || p.MaxDays > 36500 {
			r.fail(node.Line, "max_days is not a number from 1 to 36500")
		}
	}
	if node := keys["unsigned"]; node != nil {
		p.Unsigned, err = strconv.ParseBool(r.text("unsigned"))
		if err != nil || node.ShortTag() != "!!bool" {
			r.fail(node.Line, "unsigned is not true or false")
		}
	}
	return p, r.err
}
