#!/usr/bin/env bash
# Takes pictures of every page and state of the web inbox into .work/pictures/web, to
# look at: see webstates.mjs. Needs what `.ci/run web` needs.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
work=$top/.work/e2e
mkdir -p "$work"
cp "$top"/app/surface/web/e2e/* "$here/webstates.mjs" "$work"
[ -d "$work/node_modules/playwright-core" ] || (cd "$work" && npm ci --ignore-scripts --silent --no-audit --no-fund)
(cd "$top/app" && go build -o "$work/demo" ./surface/web/demo)
(cd "$work" && SAYSO_WEB_DEMO=${SAYSO_WEB_DEMO:-./demo} node webstates.mjs "$top/.work/pictures/web")
