#!/bin/sh
# deb passes "remove" or "upgrade", rpm how many versions stay.
set -e
case $1 in upgrade | 1) exit 0 ;; esac
if [ -d /run/systemd/system ]; then systemctl disable --now sayso.service; fi
