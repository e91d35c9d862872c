#!/usr/bin/env bash
# Draws a chat of the real notifier with the test server of Telegram: telegram.png.
# It is not a picture of the Telegram app, and says so. Look at what comes out.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v chromium >/dev/null || { apt-get update -q && apt-get install -y -q chromium; }
(cd "$here/../../app" && SAYSO_PICTURE=$work/chat.html go test -count=1 -run '^TestPicture$' ./surface/notify/telegram)
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=420,"${1:-700}" --screenshot="$here/telegram.png" "file://$work/chat.html" 2>/dev/null
