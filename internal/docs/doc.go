// Package docs holds the documentation and the examples' texts to what the code
// does: commands that are shown are run, links lead somewhere, and every rule,
// variable, flag and exit code has its place. It has tests only.
package docs
