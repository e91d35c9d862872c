package docstest

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
)

// step is one command of a block and what it should print.
type step struct {
	line    int // in the page
	command string
	want    []string
	checked bool // whether want is compared
}

var heredoc = regexp.MustCompile(`<<-?\s*['"]?(\w+)['"]?`)

// steps takes a block apart.
func (b *Block) steps() ([]step, error) {
	if b.Lang == "console" {
		return b.consoleSteps()
	}
	var all []step
	for i := 0; i < len(b.Text); i++ {
		line := b.Text[i]
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue // a comment: what a command prints stands directly below it
		}
		s := step{line: b.Line + i, command: line}
		for !complete(s.command) && i+1 < len(b.Text) {
			i++
			s.command += "\n" + b.Text[i]
		}
		for i+1 < len(b.Text) && strings.HasPrefix(b.Text[i+1], "#") {
			i++
			s.want = append(s.want, strings.TrimPrefix(strings.TrimPrefix(b.Text[i], "#"), " "))
			s.checked = true
		}
		all = append(all, s)
	}
	return all, nil
}

// consoleSteps takes a console block apart: commands begin with "$ ", their further
// lines with "> ", or follow a line that ends in a backslash.
func (b *Block) consoleSteps() ([]step, error) {
	var all []step
	for i := 0; i < len(b.Text); i++ {
		command, ok := strings.CutPrefix(b.Text[i], "$ ")
		if !ok {
			if len(all) == 0 {
				return nil, fmt.Errorf("a console block begins with a command: $ …")
			}
			last := &all[len(all)-1]
			last.want = append(last.want, b.Text[i])
			continue
		}
		s := step{line: b.Line + i, command: command, checked: true}
		for i+1 < len(b.Text) && (strings.HasPrefix(b.Text[i+1], "> ") && !complete(s.command) || strings.HasSuffix(s.command, `\`)) {
			i++
			s.command += "\n" + strings.TrimPrefix(b.Text[i], "> ")
		}
		all = append(all, s)
	}
	return all, nil
}

// complete reports whether a shell would run the text, or wait for more lines.
func complete(text string) bool {
	if strings.HasSuffix(text, `\`) {
		return false
	}
	if m := heredoc.FindStringSubmatch(text); m != nil {
		return regexp.MustCompile(`\n\s*` + m[1] + `$`).MatchString(text)
	}
	out, err := exec.Command("bash", "-n", "-c", text).CombinedOutput()
	return err == nil || !strings.Contains(string(out), "unexpected EOF") && !strings.Contains(string(out), "unexpected end of file")
}
