package steps

import "testing"

func TestHolds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"FROM a\n":                            true,
		"# c\n\nARG A\nFROM a\n":              true,
		"fr\\\nom a\nRUN b\n":                 true,
		"FROM a\nNONSENSE\n":                  false,
		"FROM time to time\n":                 false,
		"# syntax=evil/x\nFROM a\nNONSENSE\n": true,
		"# syntax=evil.example.com:5000/x@sha256:" + "0\nWHATEVER\n": true,
		"#!/usr/bin/env x\n# syntax=a/b:1\nWHATEVER\n":               true,
		`{"syntax": "evil/x"}`:                                       true,
		`{"syntax": "proto3"}`:                                       false,
		`{"syntax": "https://example.com/x"}`:                        false,
		"// syntax = \"proto3\"\n":                                   false,
		"RUN a\n":                                                    false,
		"":                                                           false,
	} {
		if got := Holds([]byte(text)); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
