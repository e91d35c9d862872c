#!/bin/sh
# Runs a program on a screen with a bus and a notification daemon that writes down what
# it shows: one line "SUMMARY|BODY" a notification, in the file SHOWN.
# Debian: dbus dunst xvfb xauth
set -eu
if [ -z "${SAYSO_PUSH_DIR:-}" ]; then
	SAYSO_PUSH_DIR=$(mktemp -d)
	export SAYSO_PUSH_DIR SHOWN="$SAYSO_PUSH_DIR/shown" PICK="$SAYSO_PUSH_DIR/pick"
	trap 'rm -rf "$SAYSO_PUSH_DIR"' EXIT
	: >"$SHOWN"
	cat >"$SAYSO_PUSH_DIR/write" <<-'S'
		#!/bin/sh
		printf '%s|%s\n' "$DUNST_SUMMARY" "$(printf %s "$DUNST_BODY" | tr '\n' ' ')" >>"$SHOWN"
	S
	cat >"$SAYSO_PUSH_DIR/menu" <<-'S'
		#!/bin/sh
		grep -F -m1 "$(cat "$PICK")"
	S
	chmod +x "$SAYSO_PUSH_DIR/write" "$SAYSO_PUSH_DIR/menu"
	cat >"$SAYSO_PUSH_DIR/dunstrc" <<-D
		[global]
		    dmenu = $SAYSO_PUSH_DIR/menu
		    format = "<b>%s</b>\n%b"
		    font = Sans 11
		    always_run_script = true
		[every]
		    summary = "*"
		    script = $SAYSO_PUSH_DIR/write
	D
	dbus-run-session -- xvfb-run -a "$0" "$@"
	exit
fi
dunst -conf "$SAYSO_PUSH_DIR/dunstrc" >"$SAYSO_PUSH_DIR/dunst.log" 2>&1 &
dunst=$!
for _ in $(seq 100); do dunstctl count displayed >/dev/null 2>&1 && break; sleep 0.1; done
rc=0
"$@" || rc=$?
kill "$dunst"
exit "$rc"
