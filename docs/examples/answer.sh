#!/bin/sh
# Answers the question that waits in a conversation, with curl: it reads what waits,
# and answers that and nothing else.
#
#   SAYSO_URL=http://127.0.0.1:8484 SAYSO_KEY=sayso_answerer_… ./answer.sh example "Which database?" SQLite
set -eu
call() { curl -sS --fail-with-body -H "Authorization: Bearer $SAYSO_KEY" -H 'Content-Type: application/json' "$@"; }

ask=$(call "$SAYSO_URL/v1/asks?conversation=$1" | sed -n 's/^{"tickets":\[{"id":"\([^"]*\)".*/\1/p')
call -d "{\"ask\":\"$ask\",\"answers\":{\"$2\":\"$3\"}}" "$SAYSO_URL/conversations/$1/respond"
