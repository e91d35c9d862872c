package cli_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/internal/cli"
)

// mistakes are what people type wrong. The first line of the message has the value,
// the second the next step.
var mistakes = []struct {
	before string // what was typed before, without a mistake
	line   string
	value  string // in the first line
	exit   int
}{
	{"", `sayso lst`, `"lst"`, 2},
	{"", `sayso inbx`, `"inbx"`, 2},
	{"", `sayso keys lst`, `"lst"`, 2},
	{"", `sayso help exitcodes`, `"exitcodes"`, 2},
	{"", `sayso setup aider`, `"aider"`, 2},
	{"", `sayso setup claud`, `"claud"`, 2},
	{"", `sayso hook aider`, `"aider"`, 1},
	{"", `sayso list open`, `"open"`, 2},
	{"", `sayso list --statu pending`, `"--statu"`, 2},
	{"", `sayso list -x`, `"-x"`, 2},
	{"", `sayso list --status`, `--status`, 2},
	{"", `sayso list --status anwsered`, `"anwsered"`, 2},
	{"", `sayso list --key-file missing.key`, `"missing.key"`, 2},
	{"", `sayso list --hub hub.example`, `"hub.example"`, 2},
	{"", `sayso list --hub none`, `"none"`, 3},
	{"", `sayso list --hub https://127.0.0.1:9`, `https://127.0.0.1:9`, 3},
	{`echo 'huub = "none"' >c.toml`, `SAYSO_CONFIG=c.toml sayso list`, `"huub"`, 2},
	{"", `SAYSO_DIALOG=sometimes sayso list`, `"sometimes"`, 2},
	{"", `sayso show ask_zzz`, `"ask_zzz"`, 1},
	{`sayso ask A? --id ask_7f3 --wait 1ms`, `sayso show ask_7g3`, `"ask_7g3"`, 1},
	{`sayso ask A? --id ask_7f3 --wait 1ms; sayso ask B? --id ask_7f4 --wait 1ms`, `sayso show ask_7f`, `"ask_7f"`, 2},
	{"", `sayso wait`, `wait`, 2},
	{"", `sayso wait ask_7f3 ask_8b1`, `"ask_8b1"`, 2},
	{"", `sayso answer`, `answer`, 2},
	{`sayso ask A? --id ask_7f3 --wait 1ms`, `sayso answer ask_7f3 use the second`, `["use" "the" "second"]`, 2},
	{`sayso ask A? --id ask_7f3 --wait 1ms`, `sayso answer ask_7f3 ""`, `""`, 2},
	{`sayso ask A? --id ask_7f3 --wait 1ms`, `sayso answer ask_7f3 --answers yes`, `"yes"`, 2},
	{`sayso ask A? --id ask_7f3 --wait 1ms; sayso answer ask_7f3 yes`, `sayso answer ask_7f3 no`, `answered`, 1},
	{"", `sayso inbox`, `the inbox`, 1},
	{"", `sayso web --qr`, `localhost`, 2},
	{"", `sayso ask </dev/null`, `no question`, 2},
	{"", `sayso ask Which database`, `"database"`, 2},
	{"", `echo '{}' | sayso ask`, `this tool call`, 2},
	{`echo '{}' >call.json`, `sayso ask --dialect claud -f call.json`, `"claud"`, 2},
	{"", `sayso ask -f missing.json`, `"missing.json"`, 2},
	{"", `sayso ask "Ship it?" --dialog sometimes`, `"sometimes"`, 2},
	{"", `sayso ask "Ship it?" --expires -5s`, `"-5s"`, 2},
	{"", `sayso ask "Ship it?" --wait soon`, `"soon"`, 2},
	{"", `sayso ask "Ship it?" --assurance 7`, `"7"`, 2},
	{"", `sayso ask "Ship it?" -o Yes --recommend Yess`, `"Yess"`, 2},
	{"", `sayso keys create`, `--role`, 2},
	{"", `sayso keys create --role foo`, `"foo"`, 2},
	{"", `sayso keys create --role asker --ttl 9000h`, `"9000h0m0s"`, 2},
	{"", `sayso keys revoke n7qk2v5xjd3ta`, `"n7qk2v5xjd3ta"`, 1},
	{"", `sayso sessions end n7qk2v5xjd3ta`, `"n7qk2v5xjd3ta"`, 1},
	{"", `sayso serve --listen 0.0.0.0:7777`, `0.0.0.0:7777`, 2},
	{"", `sayso serve --listen 7777`, `"7777"`, 2},
	{"", `sayso serve --idle -5s`, `"-5s"`, 2},
	{"", `sayso serve --quota opne=5`, `"opne=5"`, 2},
	{"", `sayso serve --tls-cert cert.pem`, `--tls-cert`, 2},
	{"", `sayso history --limit many`, `"many"`, 2},
	{"", `sayso undo ask_zzz`, `"ask_zzz"`, 1},
	{"", `sayso dialects schema`, `dialects schema`, 2},
	{"", `sayso rpc --framing http`, `"http"`, 2},
	{"", `sayso acp`, `acp`, 2},
}

// TestMistakes: whatever is typed wrong, the message has the value and a command, or a
// flag, with which it goes on. The messages are in testdata/mistakes.txt.
func TestMistakes(t *testing.T) {
	t.Parallel()
	said := make([]string, len(mistakes))
	t.Run("all", func(t *testing.T) {
		for i, tc := range mistakes {
			t.Run(tc.line, func(t *testing.T) {
				t.Parallel()
				m := newMachine(t)
				if tc.before != "" {
					m.shell(tc.before, "")
				}
				out, text, exit := m.shell(tc.line, "")
				text = strings.ReplaceAll(strings.TrimSuffix(text, "\n"), m.dir, "~")
				text = regexp.MustCompile(`[a-z0-9]+\.localhost`).ReplaceAllString(text, "….localhost")
				text = regexp.MustCompile(`\d+ms|\d+s ago`).ReplaceAllString(text, "…")
				said[i] = fmt.Sprintf("$ %s\n%s\n", tc.line, text)
				if exit != tc.exit || out != "" {
					t.Errorf("exits with %d, want %d, and prints %q", exit, tc.exit, out)
				}
				first, hint, ok := strings.Cut(text, "\n")
				switch {
				case !ok || !strings.HasPrefix(first, "sayso: ") || !strings.Contains(text, "\n  "):
					t.Errorf("an error is a line and an indented next step, not:\n%s", text)
				case !strings.Contains(first, tc.value):
					t.Errorf("the first line does not have %s:\n%s", tc.value, text)
				case regexp.MustCompile(`(client|auth|hook|hub|console|cli): |there is no |^sayso: .*: .*: .*: `).MatchString(first):
					t.Errorf("the first line speaks as a program does:\n%s", text)
				}
				goesOn(t, hint)
				if open := m.run("list", "--json"); strings.Contains(open, "Ship it?") {
					t.Error("the question was stored before the flags were checked")
				}
			})
		}
	})
	const golden = "testdata/mistakes.txt"
	got := strings.Join(said, "\n")
	if cli.Updating() {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got != string(want) {
		t.Errorf("the messages are not those of %s (%v); run: go test ./internal/cli -run TestMistakes -update\n%s", golden, err, got)
	}
}

// goesOn checks that the next step names a command or a flag, and that all that it
// names exist.
func goesOn(t *testing.T, hint string) {
	t.Helper()
	found := 0
	for _, c := range regexp.MustCompile(`\bsayso((?: [a-z][a-z-]+)+)`).FindAllStringSubmatch(hint, -1) {
		words := strings.Fields(c[1])
		if cli.CommandExists(words[:1]) && cli.CommandExists(words) {
			found++
		} else if !strings.Contains(hint, "mcp add") { // sayso sayso mcp
			t.Errorf("there is no command %q; the next step is:\n%s", "sayso"+c[1], hint)
		}
	}
	for _, f := range regexp.MustCompile(`(?:^|[ "])--([a-z][a-z-]+)`).FindAllStringSubmatch(hint, -1) {
		if cli.FlagExists(f[1]) {
			found++
		} else {
			t.Errorf("there is no flag --%s; the next step is:\n%s", f[1], hint)
		}
	}
	if found == 0 && !strings.Contains(hint, "sayso mcp") {
		t.Errorf("the next step names no command and no flag:\n%s", hint)
	}
}
