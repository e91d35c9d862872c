#!/bin/sh
# Questions, answers and keys of the server go with a purge only. The account stays, as is usual:
# its number must not be given to another.
set -e
if [ "$1" = purge ]; then rm -rf /var/lib/sayso /etc/sayso; fi
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
