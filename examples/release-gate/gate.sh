#!/bin/sh
# The gate of this example: first on what is in repository/, where it stops the
# release, then with the files of mended/, where it passes. It works in a folder of
# its own, with a git repository as it would be. Arguments go to loopxctl.
set -eu
cd "$(dirname "$0")"
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The advisories of a real gate are fetched: loopxctl floors update. These are
# made as of today.
sed "s/TODAY/$(date -u +%Y-%m-%d)/" advisories.jsonl >"$work/advisories.jsonl"
gate() {
	loopxctl release-gate --database "$work/advisories.jsonl" --state "$work/state" "$@"
}
commit() {
	git add .
	git -c user.name=Author -c user.email=author@example.com -c commit.gpgsign=false commit -q -m "$1"
}

# Here the Dockerfile has another name, so that checks of the folders around this
# one don't stop at it.
take() {
	cp -R "$here/$1/." "$work/app"
	mv "$work/app/build.docker" "$work/app/Dockerfile"
}

mkdir "$work/app"
cd "$work/app"
take repository
git init -q -b main
git remote add origin https://git.example.com/acme/api.git
commit 'what is to be released'

echo '== as it is'
code=0
gate "$@" || code=$?
echo "== exit code $code"
[ "$code" -eq 1 ] || exit 1

take mended
commit 'mended'
git tag v1.0.0
echo '== mended, committed and tagged'
gate "$@"
echo '== exit code 0'
