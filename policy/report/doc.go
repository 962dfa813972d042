// Package report writes findings for people and for other programs: as text,
// JSON, SARIF 2.1.0, workflow commands of GitHub Actions and JUnit's XML. It
// decides nothing: what blocks is decided before, so that every format tells the
// same.
//
// Findings are foreign text. Every writer hides secrets in them
// ([policy.Redact]), and makes what it writes harmless for whoever reads it: a
// terminal, a log that obeys commands, a parser. What a writer writes depends on
// the report alone, byte for byte, and not on the order of its findings.
package report
