// Package preset holds what is run on a cadence, at a notice and before a release:
// which checks, when, and what they decide. It is pure data and logic.
package preset
