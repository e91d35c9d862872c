#!/usr/bin/env bash
# Takes the pictures of the terminal: drives the demo in tmux with real keys,
# records what it writes as an asciicast, and lets xterm.js in Chromium draw it.
#
#   docs/pictures/make.sh               all
#   docs/pictures/make.sh start inbox   only these
#   docs/pictures/make.sh demo          the moving one, from "sayso demo" and "sayso inbox"; 2 to 6 minutes
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

wants() { [ ${#wanted[@]} -eq 0 ] || printf '%s\n' "${wanted[@]}" | grep -qx "$1"; }

# picture NAME COLUMNS ROWS THEME CASE KEY…: starts the demo, presses the keys a
# moment apart (=text types), and takes a picture of the end.
picture() {
	local name=$1 columns=$2 rows=$3 theme=$4 case=$5 key
	shift 5
	wants "$name" || return 0
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

# film: records the scripted agent in one window and your inbox in another, both
# with the real program and a hub of their own, and makes demo.gif of them.
film() {
	wants demo || return 0
	command -v convert >/dev/null || apt-get install -y -q imagemagick
	local home=$work/home bin=$work/bin frames=$work/frames socket=sayso-film-$$ columns=82
	local tm=(tmux -L "$socket" -f /dev/null)
	rm -rf "$home" "$frames" && mkdir -p "$home" "$bin" "$frames"
	(cd "$top/app" && go build -o "$bin/sayso" ./cmd/sayso)
	local shell="env -i HOME='$home' PATH='$bin:/usr/bin:/bin' TERM=tmux-256color COLORTERM=truecolor LANG=C.UTF-8 PS1='$ ' sh"
	"${tm[@]}" new-session -d -s agent -x $columns -y 13 "sleep 1; exec $shell"
	"${tm[@]}" new-session -d -s inbox -x $columns -y 17 "sleep 1; exec $shell"
	local name
	for name in agent inbox; do
		: >"$work/$name.cast"
		"${tm[@]}" pipe-pane -O -t $name "node '$work/cast.mjs' '$work/$name.cast' $columns $([ $name = agent ] && echo 13 || echo 17)"
	done
	sleep 2
	press() { "${tm[@]}" send-keys -t "$@"; }
	typed() { # WINDOW TEXT: types it as a person does
		local i
		for ((i = 0; i < ${#2}; i++)); do press "$1" -l -- "${2:i:1}" && sleep 0.03; done
		sleep 0.3
	}
	sees() { # WINDOW TEXT: waits for it, and a moment for whoever watches
		local i
		for ((i = 0; i < 600; i++)); do
			! "${tm[@]}" capture-pane -p -t "$1" | grep -qF -- "$2" || { sleep 0.9; return 0; }
			sleep 0.1
		done
		echo "waited in vain for $2" && return 1
	}
	typed inbox "sayso inbox" && press inbox Enter && sees inbox "All caught up"
	typed agent "sayso demo --dialog never" && press agent Enter
	sees inbox "Which database" && press inbox Enter && sees inbox "SQLite"
	press inbox 2 && sees inbox "Sends in"
	sees agent '="SQLite"' && sees inbox "Which features" && press inbox Enter
	sees inbox "Sign-in" && press inbox 1 && sleep 0.5 && press inbox 2 && sleep 0.8 && press inbox Enter
	sees inbox "called?" && press inbox 3 && sleep 0.4 && typed inbox billing && press inbox Enter
	sees inbox "Review" && press inbox Enter
	sees agent '="billing"' && sees inbox "May I deploy" && press inbox Enter
	sees inbox "Deploy it" && press inbox 1 && sees inbox "Sends in"
	sees agent "Agent: Deployed" && sleep 1
	"${tm[@]}" kill-server
	env -i HOME="$home" "$bin/sayso" stop >/dev/null 2>&1 || true # else it ends by itself
	(cd "$work" && node film.mjs "$frames" "Your agent=$work/agent.cast" "Your inbox=$work/inbox.cast")
	# One palette for all frames: else what does not change differs from frame to frame.
	# shellcheck disable=SC2046
	convert $(find "$frames" -name '*[05].png') -append +dither -colors 64 -unique-colors "$frames/palette.gif" &&
		convert -loop 0 $(cat "$frames/frames.txt") +dither -remap "$frames/palette.gif" -layers optimize "$here/demo.gif"
	echo "demo.gif $(stat -c %s "$here/demo.gif") bytes"
}

wanted=("$@")
tools
film
picture start        84 22 dark  service
picture chosen       84 26 dark  service  2
picture own-words    84 24 dark  database 0 "=SQLite for the spike, PostgreSQL" C-j "=as soon as there is a second writer."
picture multi-select 84 26 dark  service  2 Enter 1 3
picture review       84 26 dark  service  2 Enter 1 3 Enter =order-processor Enter
picture leave        84 24 dark  service  2 Escape
picture danger       84 16 dark  danger   2 Enter
picture beside       120 18 dark database 2
picture inbox        84 24 dark  inbox    Down
picture inbox-wide   130 30 dark inbox    End Enter
picture inbox-undo   130 30 dark inbox    End Enter 1
picture inbox-history 130 30 dark inbox   v 3
picture inbox-keys   130 36 dark inbox    "?"
picture inbox-light  130 30 light inbox   End Enter
picture light        84 26 light service  2
picture approval     84 28 dark  command
picture approval-40  40 34 dark  command
picture approval-120 120 32 dark diff
