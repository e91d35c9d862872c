#!/bin/sh
# Answers whatever waits in a conversation, with curl.
#
#   SAYSO_URL=http://127.0.0.1:8484 SAYSO_KEY=sayso_answerer_… ./answer.sh example "Which database?" SQLite
set -eu
curl -sS --fail-with-body -H "Authorization: Bearer $SAYSO_KEY" -H 'Content-Type: application/json' \
	-d "{\"answers\":{\"$2\":\"$3\"}}" "$SAYSO_URL/conversations/$1/respond"
