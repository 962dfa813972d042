package ack

import (
	"regexp"
	"strings"
)

var (
	withScheme = regexp.MustCompile(`^(?:https?|ssh|git|git\+ssh|ssh\+git)://(?:[^/]*@)?([^/@:]+)(?::[0-9]*)?/(.+)$`)
	scpForm    = regexp.MustCompile(`^(?:[^/]*@)?([^/@:\\]{2,}):([^\\].*)$`)
)

// RepositoryID makes a repository's identifier of the address of its remote:
// "host/path", the host in lower case. Scheme, userinfo, port and a ".git" at
// the end go, so that all ways to one repository give the same. ok is false
// for an address that is no network address, such as a folder.
func RepositoryID(remote string) (id string, ok bool) {
	remote = strings.TrimSpace(remote)
	m := withScheme.FindStringSubmatch(remote)
	if m == nil && !strings.Contains(remote, "://") {
		m = scpForm.FindStringSubmatch(remote)
	}
	if m == nil {
		return "", false
	}
	path := strings.TrimSuffix(strings.Trim(m[2], "/"), ".git")
	if path = strings.TrimRight(path, "/"); path == "" {
		return "", false
	}
	return strings.ToLower(m[1]) + "/" + path, true
}
