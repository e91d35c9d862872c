package docstest

import (
	"path"
	"regexp"
	"strings"
	"unicode"
)

// limits are the most words that a page may have, by page or folder. 0 is no limit.
var limits = map[string]int{
	"README.md":                        1300,
	"CONTRIBUTING.md":                  1400,
	"SECURITY.md":                      300,
	"docs/README.md":                   500,
	"docs/start/quick-start.md":        350,
	"docs/start/install.md":            350,
	"docs/start/concepts.md":           250,
	"docs/guides/README.md":            300,
	"docs/guides/inbox.md":             750,
	"docs/guides/setup.md":             650,
	"docs/guides/claude-code.md":       600,
	"docs/guides/codex.md":             450,
	"docs/guides/opencode.md":          350,
	"docs/guides/editor.md":            450,
	"docs/guides/scripts-and-ci.md":    450,
	"docs/guides/phone.md":             750,
	"docs/guides/rules.md":             1150,
	"docs/guides/wake.md":              600,
	"docs/guides/notify.md":            650,
	"docs/guides/notify-desktop.md":    950,
	"docs/guides/notify-mail.md":       400,
	"docs/guides/notify-ntfy.md":       600,
	"docs/guides/notify-webhook.md":    500,
	"docs/guides/notify-slack.md":      900,
	"docs/guides/notify-telegram.md":   700,
	"docs/guides/permissions.md":       1100,
	"docs/guides/team-server.md":       700,
	"docs/guides/operate.md":           1800,
	"docs/guides/cluster.md":           1200,
	"docs/guides/deploy.md":            650,
	"docs/guides/embed-go.md":          600,
	"docs/guides/embed-http.md":        400,
	"docs/guides/add-a-dialect.md":     500,
	"docs/guides/troubleshooting.md":   1000,
	"docs/integrations":                750, // with what CI shows and the model receives
	"docs/integrations/claude-code.md": 1200,
	"docs/integrations/codex.md":       1050,
	"docs/integrations/acp.md":         750, // with the table of four agents
	"docs/reference/README.md":         300,
	"docs/reference/cli.md":            0, // generated
	"docs/reference/config.md":         400,
	"docs/reference/exit-codes.md":     250,
	"docs/reference/security-log.md":   700,
	"docs/reference/keys-and-roles.md": 370,
	"docs/reference/http-api.md":       1200, // with what a person can do beside answering
	"docs/reference/terminal-inbox.md": 550,
	"docs/reference/terminal.md":       650,
	"docs/reference/statistics.md":     700,
	"docs/reference/web.md":            1450,
	"docs/reference/dialects.md":       350,
	"docs/reference/sayso-agent.md":    1000,
	"docs/reference/state-machine.md":  900,
	"docs/reference/accessibility.md":  540,
	"docs/reference/limits.md":         900,
	"docs/reference/metrics.md":        700,
	"docs/reference/stability.md":      500,
	"docs/explanation/README.md":       300,
	"docs/explanation/how-it-works.md": 700,
	"docs/explanation/late-answers.md": 750,
	"docs/explanation/security.md":     980,
	"docs/explanation/reliability.md":  520,
	"docs/explanation/storage.md":      350,
	"docs/explanation/cost.md":         530,
	"docs/explanation/precedents.md":   800,
	"docs/explanation/comparison.md":   600,
	"docs/contributing":                1700,
}

// limit returns the most words that a page may have, and whether there is a rule.
func limit(name string) (int, bool) {
	for ; name != "."; name = path.Dir(name) {
		if n, ok := limits[name]; ok {
			return n, true
		}
	}
	return 0, false
}

var (
	beginPart = regexp.MustCompile(`^<!-- [a-z-]+(:.*)? -->$`)
	endPart   = regexp.MustCompile(`^<!-- end -->$`)
)

// generated reports for each line whether a generator wrote it.
func (p *Page) generated() []bool {
	all := make([]bool, len(p.Lines))
	begin := -1
	for i, line := range p.Lines {
		switch {
		case endPart.MatchString(line) && begin >= 0:
			for k := begin; k <= i; k++ {
				all[k] = true
			}
			begin = -1
		case beginPart.MatchString(line):
			begin = i
		}
	}
	return all
}

// Words counts the words of a page without its blocks, comments and generated
// parts.
func (p *Page) Words() int {
	n := 0
	generated := p.generated()
	for i, line := range p.Prose {
		if generated[i] {
			continue
		}
		for _, w := range strings.Fields(linkText.ReplaceAllString(line, "$1")) {
			if strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
				n++
			}
		}
	}
	return n
}
