package prompt

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
)

// maxLine bounds a line, so that a stream without line ends does not fill the
// memory. No terminal sends one that is nearly as long.
const maxLine = 1 << 20

var errLongLine = errors.New("a line longer than a megabyte")

// lines reads a stream line by line, and only when asked to: what was sent ahead
// through a pipe stays for the next ask.
type lines struct {
	in    *bufio.Reader
	under chan line // the read that is under way, nil if there is none
	ended error     // why there are no more lines
}

type line struct {
	text string
	err  error
}

func newLines(in io.Reader) *lines { return &lines{in: bufio.NewReader(in)} }

// next returns the next line without its end. If ctx ends first, the read goes
// on and the next call takes it over.
func (l *lines) next(ctx context.Context) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if l.ended != nil {
		return "", l.ended
	}
	if l.under == nil {
		under := make(chan line, 1) // the reader never waits for us
		l.under = under
		go func() { under <- readLine(l.in) }()
	}
	select {
	case got := <-l.under:
		l.took(got)
		return got.text, got.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// dropStale drops a line that came in while nothing was asked.
func (l *lines) dropStale() {
	select {
	case got := <-l.under:
		l.took(got)
	default:
	}
}

func (l *lines) took(got line) {
	l.under = nil
	l.ended = got.err
}

// readLine reads up to a line feed. What stands before the end of the stream
// without one was not sent, so it is no line.
func readLine(in *bufio.Reader) line {
	var b strings.Builder
	for {
		part, err := in.ReadSlice('\n')
		b.Write(part)
		switch {
		case err == nil:
			text := strings.TrimSuffix(b.String(), "\n")
			return line{text: strings.TrimSuffix(text, "\r")}
		case !errors.Is(err, bufio.ErrBufferFull):
			return line{err: err}
		case b.Len() > maxLine:
			return line{err: errLongLine}
		}
	}
}
