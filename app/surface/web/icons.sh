#!/bin/sh
# Draws the icons that phones want as PNG from assets/icon.svg.
# Debian: chromium imagemagick
set -eu
cd "$(dirname "$0")/assets"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
draw() { # FILE SIZE SVG
	printf '<!doctype html><style>*{margin:0}svg{display:block;width:%spx}</style>%s' "$2" "$3" >"$dir/icon.html"
	chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$dir/profile" --default-background-color=00000000 \
		--window-size=512,512 --screenshot="$dir/icon.png" "file://$dir/icon.html" >/dev/null 2>&1
	convert "$dir/icon.png" -crop "$2x$2+0+0" +repage +dither -colors 64 -strip -define png:compression-level=9 "PNG8:$1"
}
draw icon-192.png 192 "$(cat icon.svg)"
draw icon-512.png 512 "$(cat icon.svg)"
draw apple-touch-icon.png 180 "$(sed 's/ rx="14"//' icon.svg)" # iOS rounds the corners
