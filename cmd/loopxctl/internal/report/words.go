package report

import "github.com/loopx/loopx-frontend/rewrite/route"

// ActionName is an action as JSON spells it.
func ActionName(a route.Action) string {
	return [...]string{route.Keep: "keep", route.Upgrade: "upgrade", route.Mirror: "mirror", route.Refuse: "refuse"}[a]
}

// RoleName is a role as JSON spells it.
func RoleName(r route.Role) string { return roles[r].name }

// RoleWords is a role as a person reads it.
func RoleWords(r route.Role) string { return roles[r].words }

var roles = [...]struct{ name, words string }{
	route.Fetch:         {"fetch", "fetched during the build"},
	route.AptSource:     {"apt-source", "becomes a source of apt"},
	route.Keyserver:     {"keyserver", "OpenPGP key server"},
	route.PackageConfig: {"package-config", "becomes configuration of a package manager"},
	route.Word:          {"word", "use unknown, taken for a fetch"},
	route.Proxy:         {"proxy", "a proxy's address, not fetched"},
	route.Identifier:    {"identifier", "a name, not fetched"},
	route.Match:         {"match", "only compared, not fetched"},
	route.Print:         {"print", "text for people, not fetched"},
	route.ForeignConfig: {"foreign-config", "configuration of another program, not fetched"},
	route.Header:        {"header", "an HTTP header's value, not fetched"},
	route.Runtime:       {"runtime", "used when a container runs, not during the build"},
}
