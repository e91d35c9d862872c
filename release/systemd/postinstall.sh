#!/bin/sh
set -e
if command -v systemd-sysusers >/dev/null 2>&1; then systemd-sysusers sayso.conf; fi
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
