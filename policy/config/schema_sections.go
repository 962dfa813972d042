package config

import "github.com/loopx/loopx-frontend/policy/preset"

// mirrorShape is one URL or a list.
func mirrorShape(description string) shape {
	list := listOf("", text(""))
	list["minItems"] = 1
	return anyOf(description, text(""), list)
}

func mirrorsShape() shape {
	keys := map[string]shape{}
	for _, archive := range archives() {
		keys[archive] = mirrorShape("")
	}
	return object("https bases of archives, in the order to try them; default is the archive's own.", keys)
}

func hostsShape() shape {
	action := shape{"type": "string", "pattern": "^(upgrade|keep|refuse|[hH][tT][tT][pP][sS]://.*)$"}
	return mapOf("What becomes of fetches from a host (NAME, *.SUFFIX, ADDRESS, each with :PORT or without): upgrade, keep, refuse or an https URL.", action)
}

func floorsShape() shape {
	one := object("", map[string]shape{
		"version": scalar("The bound: 1.2.3, >=1.2.3 or >1.2.3."),
		"reason":  text(""),
		"ids":     listOf("Advisories that it is for.", text("")),
		"marker":  text("Where it holds (PEP 508)."),
		"expires": dayShape(""),
	}, "version")
	several := listOf("", one)
	several["minItems"] = 1
	return mapOf("The lowest versions that are accepted, by project.", anyOf("", scalar(""), one, several))
}

func capShape() shape {
	return object("Upper bounds.", map[string]shape{
		"require":    yes("Every external dependency must have one."),
		"next_major": yes("A fix adds one below the next major version."),
	})
}

func exceptionsShape() shape {
	one := object("", map[string]shape{
		"id": text("An advisory, by any of its names."), "name": text("A project."),
		"file": text("A path from the root with * and ?, or a folder with a slash at its end."), "marker": text(""),
		"reason": text(""), "expires": dayShape("The last day."),
	}, "reason", "expires")
	one["anyOf"] = []shape{{"required": []string{"id"}}, {"required": []string{"name"}}}
	return listOf("What is accepted for a time.", one)
}

func scopesShape() shape {
	keys := map[string]shape{}
	for _, scope := range scopes() {
		keys[scope] = yes("")
	}
	return object("What is checked.", keys)
}

func databaseShape() shape {
	return object("Where advisories come from.", map[string]shape{
		"source":  text("A path or an https address, or none."),
		"max_age": {"type": []string{"string", "integer"}, "description": "How old they may be: days (7, 7d) or hours (36h)."},
	})
}

func advisoriesShape() shape {
	return object("Which records are believed.", map[string]shape{
		"prefer": listOf("Beginnings of ids, the first one first.", text("")),
		"ignore": listOf("Records that are not believed.", object("", map[string]shape{
			"id": text(""), "reason": text(""), "expires": dayShape("The last day."),
		}, "id", "reason", "expires")),
	})
}

func environmentsShape() shape {
	return object("Where the project is installed.", map[string]shape{
		"python":    text("A specifier of Python's versions."),
		"platforms": listOf("", words("", "linux", "darwin", "win32")),
	})
}

func presetsShape() shape {
	keys := map[string]shape{}
	for _, p := range preset.Builtin() {
		keys[p.ID] = presetShape(p)
	}
	return object("Checks that run at set times.", keys)
}

func presetShape(p preset.Preset) shape {
	keys := map[string]shape{
		"enabled": yes(""),
		"cadence": anyOf("When it runs.", text("A line of cron(5): 0 6 * * 1."), object("", map[string]shape{
			"cron": text("A line of cron(5)."), "zone": text("A time zone, such as Europe/Berlin."),
		})),
		"mode":   words("What a run does about what blocks.", preset.Modes()...),
		"checks": listOf("", words("", preset.Checks()...)),
		"sarif":  listOf("Files of other tools' findings, by their paths from the root.", text("")),
		"images": listOf("Images that are verified.", text("")),
		"thresholds": object("From where on something blocks that else would not.", map[string]shape{
			"warnings": {"type": "integer", "minimum": 0}, "advisories": ageShape(""), "acknowledgements": ageShape(""),
		}),
	}
	if p.Updates != nil {
		keys["updates"] = object("", map[string]shape{"allow": words("", preset.Patch, preset.Minor), "deny": listOf("", text(""))})
	}
	return object("", keys)
}

func releaseShape() shape {
	digest := shape{"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}
	digests := anyOf("", digest, listOf("", digest))
	return object("What a release is held to.", map[string]shape{
		"tag":                   text("A pattern of the release's tag, such as v*."),
		"acknowledgements_last": ageShape("How long acknowledgements must last."),
		"advisory_age":          ageShape("How old advisories may be."),
		"frontends":             digests,
		"bases":                 mapOf("Digests of base images that are accepted, by name.", digests),
		"require_signed":        yes(""),
		"require_proxy_network": yes(""),
		"require_pinned_bases":  yes(""),
		"require_commit":        yes(""),
		"require_tag":           yes(""),
	})
}

func reviewShape() shape {
	return object("What the review of a change is held to.", map[string]shape{
		"unprovable":      words("A build that can't be told.", Fail, Warn, Allow),
		"sensitive_paths": listOf("More files whose changes a person shall look at.", text("")),
		"sensitive_rules": listOf("Rules whose findings are not for the public.", text("")),
		"commit_authors":  yes("The authors of the commits can't sign for the change."),
	})
}
