#!/bin/sh
# Asks a person and waits for the answer, with curl.
#
#   SAYSO_URL=http://127.0.0.1:8484 SAYSO_KEY=sayso_asker_… ./ask.sh "Which database?" PostgreSQL SQLite
#
# Prints what the model is told. The same call again (CALL) is the same question:
# after a crash, run it again.
set -eu
question=$1 first=$2 second=$3
call=${CALL:-call-$$}
body=$(printf '{"id":"%s","conversation":"example","host":"ask.sh","arguments":{"questions":[{"question":"%s","options":[{"label":"%s"},{"label":"%s"}]}]}}' \
	"$call" "$question" "$first" "$second")
while :; do
	reply=$(curl -sS --fail-with-body -H "Authorization: Bearer $SAYSO_KEY" -H 'Content-Type: application/json' \
		-d "$body" "$SAYSO_URL/v1/dialects/json/call?wait=${WAIT:-55s}")
	case $reply in
	*'"status":"pending"'*) ;; # nobody yet: wait again
	*) break ;;
	esac
done
printf '%s\n' "$reply"
