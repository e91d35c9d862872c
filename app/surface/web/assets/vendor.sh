#!/usr/bin/env bash
# Fetches htmx and its two extensions from npm again and checks them.
# To move to another version, change it here and write the new sums to vendor.sum.
set -euo pipefail
cd "$(dirname "$0")"
version=4.0.0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
(cd "$tmp" && npm pack --silent "htmx.org@$version" && tar xzf "htmx.org-$version.tgz")
cp "$tmp/package/dist/htmx.min.js" "$tmp/package/dist/ext/hx-sse.min.js" "$tmp/package/dist/ext/hx-csp.min.js" .
cp "$tmp/package/LICENSE" HTMX-LICENSE
sha256sum --check vendor.sum
