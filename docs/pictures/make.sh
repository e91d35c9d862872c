#!/usr/bin/env bash
# Takes the pictures of the terminal: drives the demo in tmux with real keys,
# records what it writes as an asciicast, and lets xterm.js in Chromium draw it.
#
#   docs/pictures/make.sh               all
#   docs/pictures/make.sh start inbox   only these
#
# Needs Debian with root, Go and npm; installs the rest. Look at what comes out.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
work=$top/.work/pictures
mkdir -p "$work"

tools() {
	local missing=()
	command -v chromium >/dev/null || missing+=(chromium)
	command -v tmux >/dev/null || missing+=(tmux)
	command -v npm >/dev/null || missing+=(nodejs npm)
	[ -n "$(fc-list ':family=JetBrains Mono')" ] || missing+=(fonts-jetbrains-mono)
	[ ${#missing[@]} -eq 0 ] || { apt-get update -q && apt-get install -y -q "${missing[@]}"; }
	[ -d "$work/node_modules/playwright-core" ] ||
		npm install --ignore-scripts --silent --no-fund --no-audit --prefix "$work" playwright-core@1.65.0 @xterm/xterm@6.0.0
	cp "$here"/*.mjs "$work"
	(cd "$top/app" && go build -o "$work/demo" ./surface/tui/demo)
}

# picture NAME COLUMNS ROWS THEME CASE KEY…: starts the demo, presses the keys a
# moment apart (=text types), and takes a picture of the end.
picture() {
	local name=$1 columns=$2 rows=$3 theme=$4 case=$5 key
	shift 5
	if [ ${#wanted[@]} -gt 0 ] && ! printf '%s\n' "${wanted[@]}" | grep -qx "$name"; then return; fi
	local socket=sayso-pictures-$$ cast=$work/$name.cast
	local tm=(tmux -L "$socket" -f /dev/null)
	: >"$cast"
	"${tm[@]}" new-session -d -x "$columns" -y "$rows" \
		"sleep 1; TERM=tmux-256color COLORTERM=truecolor LANG=C.UTF-8 '$work/demo' -case $case -lang en; sleep 60"
	if [ "$theme" = light ]; then "${tm[@]}" set -g window-style 'bg=#fbfbfd,fg=#1b1b22'; fi
	"${tm[@]}" pipe-pane -O "node '$work/cast.mjs' '$cast' $columns $rows"
	sleep 3
	for key in "$@"; do
		case $key in
		=*) "${tm[@]}" send-keys -l "${key#=}" ;;
		*) "${tm[@]}" send-keys "$key" ;;
		esac
		sleep 1
	done
	sleep 1
	"${tm[@]}" kill-server
	(cd "$work" && node shot.mjs "$cast" "$here/$name.png" "$theme")
	echo "$name.png $(stat -c %s "$here/$name.png") bytes"
}

wanted=("$@")
tools
picture start        84 22 dark  service
picture chosen       84 26 dark  service  2
picture own-words    84 24 dark  database 0 "=SQLite for the spike, PostgreSQL" C-j "=as soon as there is a second writer."
picture multi-select 84 26 dark  service  2 Enter 1 3
picture review       84 26 dark  service  2 Enter 1 3 Enter =order-processor Enter
picture leave        84 24 dark  service  2 Escape
picture danger       84 16 dark  danger   2 Enter
picture beside       120 18 dark database 2
picture inbox        84 18 dark  inbox    Down
picture light        84 26 light service  2
