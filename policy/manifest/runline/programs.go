package runline

import "strings"

// program is an installer: how it is called to install, and its options.
type program struct {
	name string
	uses []usage
	// options are those that take a value, with what it is.
	options map[string]Kind
}

// usage is one way to call an installer.
type usage struct {
	words   string // the subcommand, "" if there is none
	kind    Kind   // what the operands are, 0 if they are no packages
	grammar Grammar
	skip    int  // how many operands name something else first
	runs    bool // the first operand is the package, and what follows is its own
}

// table makes a program's options from lists of names.
func table(lists map[Kind]string) map[string]Kind {
	out := map[string]Kind{}
	for kind, names := range lists {
		for n := range strings.FieldsSeq(names) {
			out[n] = kind
		}
	}
	return out
}

// programs are the installers. Sources: the command-line references of pip 26,
// uv 0.9, pipx 1.8, Poetry 2, PDM 2 and Pipenv 2026, and pip-tools' README.
var programs = []program{
	{
		name: "pip",
		uses: []usage{{words: "install", kind: Requirement}, {words: "download", kind: Requirement}, {words: "wheel", kind: Requirement}},
		options: table(map[Kind]string{
			File: "-r --requirement", Constraint: "-c --constraint", BuildConstraint: "--build-constraint", Editable: "-e --editable",
			Group: "--group",
			skipped: "-t --target -d --dest -w --wheel-dir -b --build --build-dir --platform --python-version --implementation --abi " +
				"--root --prefix --src --source --source-dir --source-directory --upgrade-strategy -C --config-setting --config-settings " +
				"--global-option --build-option --install-option --no-binary --only-binary --progress-bar --root-user-action --report " +
				"-i --index-url --pypi-url --extra-index-url -f --find-links --use-feature --use-deprecated --python --log --log-file " +
				"--local-log --keyring-provider --proxy --retries --resume-retries --timeout --default-timeout --exists-action " +
				"--trusted-host --cert --client-cert --cache-dir --uploaded-prior-to --requirements-from-script --all-releases --only-final",
		}),
	},
	{
		name: "uv",
		uses: []usage{
			{words: "pip install", kind: Requirement, grammar: At},
			{words: "pip sync", kind: File},
			{words: "add", kind: Requirement, grammar: At},
			{words: "tool install", kind: Requirement, grammar: At},
			{words: "tool run", kind: Requirement, grammar: At, runs: true},
			{words: "run", grammar: At, runs: true},
		},
		options: uvOptions,
	},
	{name: "uvx", uses: []usage{{kind: Requirement, grammar: At, runs: true}}, options: uvOptions},
	{
		name: "pipx",
		uses: []usage{
			{words: "install", kind: Requirement},
			{words: "inject", kind: Requirement, skip: 1},
			{words: "run", kind: Requirement, runs: true},
		},
		options: table(map[Kind]string{
			Requirement: "--preinstall --with", named: "--spec", File: "-r --requirement",
			skipped: "--python --pip-args --suffix -i --index-url --backend --installer --app",
		}),
	},
	{
		name: "poetry",
		uses: []usage{{words: "add", kind: Requirement, grammar: Poetry}, {words: "self add", kind: Requirement, grammar: Poetry}},
		options: table(map[Kind]string{
			skipped: "-G --group -E --extras --python --platform --markers --source -C --directory -P --project",
		}),
	},
	{
		name: "pdm",
		uses: []usage{{words: "add", kind: Requirement}},
		options: table(map[Kind]string{
			Editable: "-e --editable",
			skipped:  "-G --group -p --project -L --lockfile -c --config --override --venv",
		}),
	},
	{
		name: "pipenv",
		uses: []usage{{words: "install", kind: Requirement}},
		options: table(map[Kind]string{
			File: "-r --requirements", Editable: "-e --editable",
			skipped: "--python --pypi-mirror -i --index --extra-pip-args --categories -c --code",
		}),
	},
	{
		name:    "pip-sync",
		uses:    []usage{{kind: File}},
		options: table(map[Kind]string{skipped: "-f --find-links -i --index-url --extra-index-url --trusted-host --python-executable --cert --client-cert --pip-args --config"}),
	},
}

// uvOptions are those of all of uv's subcommands together: no name means two
// things.
var uvOptions = table(map[Kind]string{
	Requirement: "--with", named: "--from", File: "-r --requirement --requirements --with-requirements",
	Constraint: "-c --constraint --constraints", BuildConstraint: "-b --build-constraint --build-constraints",
	Override: "--override --overrides", Editable: "-e --editable --with-editable", Group: "--group",
	skipped: "--extra --optional --torch-backend --python-version --python-platform -t --target --prefix -p --python --index --default-index " +
		"-i --index-url --extra-index-url -f --find-links --index-strategy --keyring-provider -P --upgrade-package --upgrade-group --resolution --prerelease " +
		"--fork-strategy -C --config-setting --config-settings --config-settings-package --no-build-isolation-package " +
		"--no-build-package --only-binary --no-binary --no-binary-package --exclude --excludes --exclude-newer --exclude-newer-package --link-mode " +
		"--reinstall-package --cache-dir --refresh-package --config-file --directory --project --color --allow-insecure-host " +
		"--no-sources-package --rev --tag --branch --bounds --script --package -m --marker --only-group --no-group --no-extra --env-file " +
		"--no-install-package --module --gui-script",
})

// foreign finds installers of other ecosystems that are asked for Python
// packages.
func (c Call) foreign() (Install, bool) {
	for i := range c.Words {
		name := c.name(i)
		rest := c.Words[i+1:]
		var ok bool
		switch name {
		case "conda", "mamba", "micromamba":
			ok = asks(rest, "install", "") || asks(rest, "create", "")
		case "apt-get", "apt", "aptitude", "yum", "dnf", "microdnf", "zypper":
			ok = asks(rest, "install", "python")
		case "apk":
			ok = asks(rest, "add", "py3-")
		}
		if ok {
			return Install{Tool: name, Foreign: true, Call: c}, true
		}
	}
	return Install{}, false
}

// asks reports whether the words hold the subcommand, and behind it a package
// whose name starts with prefix and has a second part.
func asks(words []Word, subcommand, prefix string) bool {
	found := false
	for _, w := range words {
		s := w.String()
		switch {
		case !found:
			found = s == subcommand
		case !strings.HasPrefix(s, "-") && strings.HasPrefix(s, prefix) && (prefix == "" || strings.Contains(s, "-")):
			return true
		}
	}
	return false
}
