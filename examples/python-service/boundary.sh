#!/bin/sh
# The boundary of the floor: what is declared passes, and the version below it
# fails, in each of the two files. Arguments go to "loopxctl floors check".
set -eu
cd "$(dirname "$0")"

loopxctl floors check "$@" >/dev/null

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in pyproject.toml docs/requirements.txt; do
	rm -rf "$work/project"
	cp -R . "$work/project"
	sed 's/83\.0\.0/82.0.1/' "$file" >"$work/project/$file"
	code=0
	(cd "$work/project" && loopxctl floors check "$@") >/dev/null || code=$?
	if [ "$code" -ne 1 ]; then
		echo "$file: exit code $code with setuptools 82.0.1, want 1" >&2
		exit 1
	fi
done
echo 'setuptools 83.0.0 passes, 82.0.1 fails'
