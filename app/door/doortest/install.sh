#!/usr/bin/env bash
# install.sh DIR: installs the programs of the cases below DIR, each in a folder
# of its own, at exactly the versions of versions.json. What is there already stays. Install
# scripts are not run: the packages of the platform hold the programs.
set -euo pipefail
dir=$1
programs=$(node -p '
	JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).installed
		.map((p) => `${p.folder}=${p.package}@${p.version}`).join("\n")' "$(dirname "$0")/versions.json")

# one FOLDER=PACKAGE: three tries, for a registry that is slow.
one() {
	local to=$dir/${1%%=*} what=${1#*=} try
	[ ! -f "$to/$what.done" ] || return 0
	for try in 1 2 3; do
		rm -rf "$to" && mkdir -p "$to/$what.done" && rmdir "$to/$what.done" || return
		if npm install --prefix "$to" --ignore-scripts --no-audit --no-fund --loglevel=error "$what" </dev/null; then
			touch "$to/$what.done"
			echo "installed $what"
			return 0
		fi
		echo "could not install $what (try $try)"
	done
	return 1
}

[ "$(uname -sm)" = "Linux x86_64" ] || { echo "these are the programs for Linux on x86_64"; exit 1; }
export -f one
export dir
printf '%s\n' "$programs" | xargs -P 3 -I{} bash -c 'one "$1"' _ {}
