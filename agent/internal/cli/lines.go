package cli

import (
	"bufio"
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"time"
)

// lines reads what a person types, line by line as the terminal edits them. It
// reads only while it is asked to, so that what is typed into a dialog stays the
// dialog's.
type lines struct {
	file *os.File
	in   *bufio.Reader
	half string // of a line that was being read when the reading was stopped
}

func openLines() (*lines, error) {
	f, err := openTTY()
	if err != nil {
		return nil, err
	}
	return &lines{file: f, in: bufio.NewReader(f)}, nil
}

func (l *lines) close() { l.file.Close() }

// why says why a read has ended.
type why int

const (
	gotLine why = iota
	interruptedLine
	somethingHappened
)

// read returns the next line. It ends early with a signal, or when something
// happens; what was typed of the line so far is kept.
func (l *lines) read(ctx context.Context, prompt string, signals <-chan os.Signal, bell <-chan struct{}) (string, why, error) {
	if _, err := l.file.WriteString(prompt); err != nil {
		return "", 0, err
	}
	type got struct {
		text string
		err  error
	}
	line := make(chan got, 1)
	go func() {
		text, err := l.in.ReadString('\n')
		line <- got{text, err}
	}()
	because := gotLine
	select {
	case g := <-line:
		return l.whole(g.text, g.err)
	case <-ctx.Done():
	case <-signals:
		because = interruptedLine
	case <-bell:
		because = somethingHappened
	}
	if err := l.file.SetReadDeadline(time.Unix(1, 0)); err != nil {
		// The system cannot stop a read of a terminal. The program ends, or waits
		// for the line.
		if because != somethingHappened {
			return "", because, ctx.Err()
		}
		g := <-line
		return l.whole(g.text, g.err)
	}
	g := <-line
	l.file.SetReadDeadline(time.Time{})
	if g.err == nil { // it was faster
		return l.whole(g.text, nil)
	}
	l.half += g.text
	if !errors.Is(g.err, os.ErrDeadlineExceeded) {
		return "", 0, g.err
	}
	return "", because, ctx.Err()
}

// whole returns a line with what was read of it before. A backslash at its end
// goes on with the next one.
func (l *lines) whole(text string, err error) (string, why, error) {
	text = l.half + text
	l.half = ""
	if err != nil {
		return "", gotLine, err
	}
	for strings.HasSuffix(text, "\\\n") {
		more, err := l.in.ReadString('\n')
		if err != nil {
			return "", gotLine, err
		}
		text = strings.TrimSuffix(text, "\\\n") + "\n" + more
	}
	return sequences.ReplaceAllString(text, ""), gotLine, nil
}

// sequences are what a terminal sends that nobody has typed: answers to what a
// dialog had asked it, which come after the dialog has gone, and keys that move.
var sequences = regexp.MustCompile(`\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[\[O][0-?]*[ -/]*[@-~]|\x1bP[^\x1b]*\x1b\\|[\x00-\x08\x0b-\x1f\x7f]`)
