#!/usr/bin/env bash
# Takes the picture of a desktop notification: a hub of its own, and dunst on a virtual
# screen. Needs Debian with root and Go; installs the rest. Look at what comes out.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
if [ -z "${DBUS_SESSION_BUS_ADDRESS:-}" ] || [ -z "${SAYSO_PICTURE:-}" ]; then
	missing=()
	for one in dunst=dunst dunstctl=dunst Xvfb=xvfb import=imagemagick dbus-run-session=dbus-daemon dbus-send=dbus-bin; do
		command -v "${one%%=*}" >/dev/null || missing+=("${one#*=}")
	done
	[ ${#missing[@]} -eq 0 ] || { apt-get update -q && apt-get install -y -q --no-install-recommends "${missing[@]}" fonts-dejavu-core; }
	SAYSO_PICTURE=1 exec dbus-run-session -- "$0" "$@"
fi
work=$(mktemp -d)
export HOME=$work DISPLAY=:87 PATH=$work/bin:$PATH XDG_RUNTIME_DIR=$work
unset XDG_STATE_HOME XDG_CONFIG_HOME XDG_DATA_HOME
(cd "$top/app" && HOME=~root go build -o "$work/bin/sayso" ./cmd/sayso)
Xvfb $DISPLAY -screen 0 800x600x24 -nolisten tcp >"$work/x.log" 2>&1 &
trap 'kill $(jobs -p) 2>/dev/null || true; sayso stop >/dev/null 2>&1 || true; rm -rf "$work" || true' EXIT
cat >"$work/dunstrc" <<'D'
[global]
    font = DejaVu Sans 11
    width = 460
    height = 400
    origin = top-right
    offset = 20x20
    format = "<b>%s</b>\n%b"
    markup = full
    frame_width = 1
    frame_color = "#5b5b6b"
    corner_radius = 6
    padding = 14
    horizontal_padding = 16
    show_indicators = no
[urgency_normal]
    background = "#26262e"
    foreground = "#e8e8ee"
D
until [ -e /tmp/.X11-unix/X87 ]; do sleep 0.1; done
dunst -conf "$work/dunstrc" >"$work/dunst.log" 2>&1 &
until dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.freedesktop.Notifications |
	grep -q true; do sleep 0.1; done
sayso notify add desktop --detail text --after 1s
until [ "$(dunstctl count displayed)" -ge 1 ]; do sleep 0.1; done
dunstctl close-all
mkdir "$work/payments"
(cd "$work/payments" && sayso ask --dialog never --agent claude-code \
	"Which database should the service use?" -o PostgreSQL -o SQLite >"$work/answer" 2>&1) &
until [ "$(dunstctl count displayed)" -ge 1 ]; do sleep 0.1; done
sleep 1
import -window root "$work/all.png"
convert "$work/all.png" -trim +repage -bordercolor '#101014' -border 24 -strip -colors 64 "$here/desktop.png"
ls -l "$here/desktop.png"
