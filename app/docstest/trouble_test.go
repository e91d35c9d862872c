package docstest

// trouble has a script for each row of the troubleshooting page, by what its first
// cell says; [TestTroubleshooting] runs them. Each has a home of its own. A message
// in the cell must be printed, where … stands for anything. Where the cell describes
// something else, the script shows it and exits 0.
var trouble = map[string]string{
	"`another hub serves this folder already`": `
		sayso serve & until sayso health; do sleep 0.1; done
		sayso serve`,

	"`another process uses this port`": `
		sayso serve --listen 127.0.0.1:7777 & until sayso health; do sleep 0.1; done
		mkdir -m 700 other
		XDG_STATE_HOME=$PWD/other XDG_RUNTIME_DIR=$PWD/other sayso serve --listen 127.0.0.1:7777`,

	"`cannot connect to NATS at …`": `
		sayso serve --nats nats://127.0.0.1:4222`,

	"`its certificate expired on …`": `
		# openssl makes no such certificate; TestOperatorSees in app/attacktest does
		grep -o 'its certificate expired on .*' "$REPOSITORY/app/attacktest/testdata/operator/expired-certificate.txt"`,

	"`was written by a newer sayso`": `
		mkdir -p -m 700 ~/.local/state/sayso
		echo 9 >~/.local/state/sayso/format
		sayso list`,

	"`cannot reach the hub at …`": `
		sayso list --hub https://127.0.0.1:7777`,

	"`can be reached from other machines`": `
		sayso serve --web 0.0.0.0:7778`,

	"`certificate signed by unknown authority`": certificate + serving + `
		sayso list --hub https://localhost:7777 --key-file ann.key`,

	"`is damaged`": `
		sayso serve & until sayso health; do sleep 0.1; done
		sayso ask "Which database?" --wait 1ms
		kill %1; wait
		find ~/.local/state/sayso/engine -path '*ASK2-*' -name '*.blk' -exec truncate -s 10 {} +
		sayso list`,

	"`neither XDG_STATE_HOME nor HOME is set`": `
		env -u HOME sayso list`,

	"`a phone cannot reach the inbox`": `
		sayso web --qr`,

	"A notification does not arrive": `
		sayso list
		sayso doctor --notify | grep 'notify .*no device gets notifications'`,

	"`can be read by other users`": `
		mkdir -p -m 700 ~/.local/state/sayso/notify
		echo '{"token":"1:x"}' >~/.local/state/sayso/notify/telegram.json
		chmod 644 ~/.local/state/sayso/notify/telegram.json
		sayso notify`,

	"`no session bus`": `
		sayso notify add desktop`,

	"`no question with id \"…\"`": `
		sayso show ask_zzz`,

	"`the hub rejected the key`": certificate + serving + `
		sayso keys revoke $(sayso keys list | grep ann | cut -d' ' -f1)
		until ! SSL_CERT_FILE=cert.pem sayso list --hub https://localhost:7777 --key-file ann.key; do sleep 0.1; done`,

	"`not allowed`": `
		sayso keys create --role asker --for ci >ci.key
		sayso ask "Deploy?" -o Yes -o No --id deploy --wait 1ms --key-file ci.key
		sayso answer deploy Yes --key-file ci.key`,

	"`out of file descriptors`": `
		ulimit -n 30
		sayso list`,

	"`…config.toml:1: unknown setting \"…\"`": `
		mkdir -p ~/.config/sayso
		echo 'huub = "https://hub.example"' >~/.config/sayso/config.toml
		sayso list`,

	"`needs a terminal`": `
		sayso inbox </dev/null`,

	"`for the path of a socket`": `
		export XDG_RUNTIME_DIR=~/$(printf 'x%.0s' {1..100})
		sayso list`,

	"`Questions pending. User input required.`": `
		echo '{"questions":[{"question":"Which database?","options":[{"label":"PostgreSQL"},{"label":"SQLite"}]}]}' |
			sayso ask --hub none --dialect pi`,

	"`quota exceeded`": `
		export SAYSO_QUOTA=open=1
		sayso ask "Deploy?" --id one --wait 1ms
		sayso ask "Deploy again?" --id two --wait 1ms`,

	"`reconnecting…` in the browser": signIn + `
		get /`,

	"`the agent has the answer already`": `
		sayso ask "Deploy?" -o Yes -o No --id deploy --wait 1ms
		sayso answer deploy Yes
		sayso wait deploy
		sayso undo deploy`,

	"`the hub's disk is full`": `
		mkdir -p ~/.local/state
		unshare --mount sh -c 'mount -t tmpfs -o size=512k tmpfs ~/.local/state && sayso list'`,

	"`This sign-in address was used before`": signIn + `
		login`,

	"`Tool permission request failed` in `claude -p`": `
		# Claude Code says it; the agents suite has the real program say it where there is no hub
		grep -o 'Tool permission request failed' "$REPOSITORY/app/door/doortest/claude_test.go"`,

	"`Wrong host`": certificate + serving + `
		curl -s --cacert cert.pem -H "Host: other.example" https://localhost:7777/v1/asks`,

	"`your answer was not sent`": `
		sayso ask "Deploy?" -o Yes -o No --id deploy --wait 1ms
		sayso answer deploy Yes
		sayso answer deploy No`,

	"Exit code 75": `
		sayso ask "Deploy?" -o Yes -o No --id deploy --wait 1ms
		test $? = 75 && sayso list | grep Deploy`,

	"The question is in the agent but not in the inbox": hook + `
		event PreToolUse | SAYSO_HUB=none sayso hook claude | grep -x '{}' &&
			test "$(sayso list --json | grep -c Which)" = 0`,

	"You answered, but the agent did not continue": hook + `
		event PreToolUse | sayso hook claude
		(event PermissionRequest | sayso hook claude) | true
		sayso answer ask_ SQLite
		event UserPromptSubmit | sayso hook claude | grep SQLite`,
}

// certificate makes cert.pem and key.pem for this machine.
const certificate = `
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=hub.example -addext subjectAltName=DNS:localhost 2>/dev/null`

// serving starts a hub that others can reach, and makes a key.
const serving = `
sayso serve --listen 127.0.0.1:7777 --tls-cert cert.pem --tls-key key.pem &
until sayso health; do sleep 0.1; done
sayso keys create --role answerer --for ann >ann.key`

// signIn opens the web inbox as a browser does.
const signIn = `
link=$(sayso web --no-open)
host=${link#http://}; host=${host%%/*}
get() { curl -s -b jar -c jar -H "Host: $host" "http://127.0.0.1:${host##*:}$1"; }
login() { curl -s -b jar -c jar -H "Host: $host" -d "token=${link#*#}" "http://127.0.0.1:${host##*:}/login"; }
login`

// hook has Claude Code's event of a question.
const hook = `
export CLAUDE_CODE_ENTRYPOINT=cli
event() {
	printf '{"session_id":"s1","prompt_id":"%s","cwd":"%s","hook_event_name":"%s","prompt":"go on","tool_name":"AskUserQuestion","tool_use_id":"toolu_1",' "$1" "$PWD" "$1"
	printf '"tool_input":{"questions":[{"question":"Which database?","header":"DB","multiSelect":false,"options":[{"label":"PostgreSQL","description":""},{"label":"SQLite","description":""}]}]}}'
}`
