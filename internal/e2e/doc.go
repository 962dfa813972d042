// Package e2e holds the end-to-end tests and benchmarks of the frontend image:
// a real buildkitd pulls it from a registry, and docker buildx and buildctl call
// it as users do. It has no code of its own.
//
// Each test has a host of its own name, a pair of servers on loopback. One
// speaks clear text and one TLS, and both have the same files, so a fetch that
// was not moved works and is counted. Where apt runs, the servers have the real
// archives of Debian and Ubuntu. Most tests run the stock frontend image too: it
// shows that the servers see clear text where there is some, and its output is
// what ours must be equal to.
package e2e
