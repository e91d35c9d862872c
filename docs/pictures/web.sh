#!/usr/bin/env bash
# Takes the pictures of the web inbox: the demo server, and Chromium that logs in
# to it. Needs what `.ci/run web` needs. Look at what comes out.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
work=$top/.work/e2e
command -v chromium >/dev/null || { apt-get update -q && apt-get install -y -q chromium; }
mkdir -p "$work"
cp "$top"/app/surface/web/e2e/* "$here/web.mjs" "$work"
[ -d "$work/node_modules/playwright-core" ] || (cd "$work" && npm ci --ignore-scripts --silent --no-audit --no-fund)
(cd "$top/app" && go build -o "$work/demo" ./surface/web/demo)
(cd "$work" && SAYSO_DEMO_NOTIFY=1 SAYSO_WEB_DEMO=./demo node web.mjs "$here")
ls -l "$here"/web-*.png
