package attacktest

import (
	"path/filepath"
	"regexp"
	"strings"
)

var (
	byteCounts = regexp.MustCompile(`\b\d+ bytes\b`)
	between    = regexp.MustCompile(`\n +fix: `)
	offset     = regexp.MustCompile(`from byte \d+`)
	spaces     = regexp.MustCompile(`\s+`)
)

// normal leaves out of a text what is another each time.
func (s *sick) normal(text string) string {
	text = strings.ReplaceAll(text, s.state, "STATE")
	text = strings.ReplaceAll(text, s.home, "HOME")
	text = byteCounts.ReplaceAllString(text, "N bytes")
	text = offset.ReplaceAllString(text, "from byte N")
	return strings.TrimSpace(spaces.ReplaceAllString(text, " "))
}

// wrongs returns what the doctor found wrong.
func wrongs(said string) string {
	var wrong []string
	for _, line := range strings.Split(between.ReplaceAllString(said, " — fix: "), "\n") {
		if strings.HasPrefix(line, "✗") {
			wrong = append(wrong, line)
		}
	}
	if wrong == nil {
		return "nothing is wrong"
	}
	return strings.Join(wrong, " / ")
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[max(strings.LastIndex(text, "\nsayso: "), -1)+1:]
}

// killHub ends a hub that runs in the background, wherever the fault has it.
func (s *sick) killHub() {
	killHub(filepath.Join(s.home, "run"))
	killHub(filepath.Join(s.state, "sayso", "run"))
}
