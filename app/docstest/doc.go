// Package docstest keeps the documentation true. It reads README.md,
// CONTRIBUTING.md, SECURITY.md and every page below docs except docs/records,
// runs their commands with the real program and compares what it prints.
//
// Most pages need two kinds of blocks:
//
//	```console
//	$ sayso list
//	ask_w7tq  2s  pending  Which database?
//	```
//
//	```sh test
//	sayso answer ask_w7tq SQLite
//	# ✓ DB: SQLite
//	```
//
// In a console block the lines below a command are all that it prints. In an sh
// test block they are optional and begin with "# ". Every command exits 0. A line
// that is only … stands for any lines, and … in a line for any text. Ids, keys,
// ages, times, ports and process ids need not be the same; the home folder is
// /home/you. An id that the page shows may be used in a later command.
//
// Each page has a home, a working folder (/home/you/project) and a hub of its own.
// Its blocks run in order, in one shell as it were: variables and cd last.
//
// A comment directly before a block sets it up, several options separated by ";":
//
//	<!-- test: stdin y -->              what every command of the block reads
//	<!-- test: exit 75 -->              how the last command ends
//	<!-- test: env NAME=value -->       from here to the end of the page
//	<!-- test: setup COMMAND -->        runs first, unseen
//	<!-- test: person SQLite -->        somebody answers the question that comes up
//	<!-- test: meanwhile COMMAND -->    the same with a command; $ID is the question
//	<!-- test: background -->           goes on until the page ends; waits for its expected lines
//	<!-- test: terminal -->             on a terminal, 100 columns wide
//	<!-- test: fake-agent claude -->    Claude Code has asked "Which database?", with a dialog of its own
//	<!-- test: fake-agent claude -p Ship it?|Yes|No -->   without one; another question
//	<!-- test: fake-agent claude permission npm run build -->   it wants to run a command, with a dialog of its own
//	<!-- test: fake-agent claude decided npm run build -->   the same, and a rule decides
//	<!-- test: fake-agent mcp -->       a client of sayso mcp has asked with ask_user
//	<!-- test: agent-reads TEXT -->     after the block, what the agent was told
//
// A block that cannot run says why, and is listed in testdata/excused.txt:
//
//	<!-- no-test: opens a browser -->
//
// A go block is a copy of a function's body, or of the lines between // begin NAME
// and // end NAME, a python or js block one of a file that a test runs, and a json
// or toml block may be a copy of a file:
//
//	<!-- from example_test.go#ExampleTool -->
//
// go test ./docstest -update copies them in and writes the golden files.
package docstest
