package checks

var keyAutoImport = Rule{
	Name: "KeyAutoImport", Severity: warning, Class: validation,
	Description: "zypper takes whatever key a repository comes with.",
	Why: "A key that the repository itself sends says nothing about who made the packages, so a false repository brings a false key. " +
		"Import the publisher's key with rpm --import first.",
	Bad:  "FROM opensuse/leap:15.6\nRUN zypper --gpg-auto-import-keys refresh\n",
	Good: "FROM opensuse/leap:15.6\nCOPY example.asc /tmp/\nRUN rpm --import /tmp/example.asc && zypper refresh\n",

	command: keyImportCommand,
}

var keyImportSwitches = []switches{{"zypper", flags("--gpg-auto-import-keys")}}

func keyImportCommand(c *Command) []Finding {
	var out []Finding
	inCalls(c, keyImportSwitches, func(name, word string) {
		out = append(out, found(c.place(name, word), word+" takes whatever key the repository comes with; import the publisher's with rpm --import"))
	})
	return out
}
