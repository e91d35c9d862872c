package tui

// scrolling is a text that is taller than its place, and where it is scrolled to.
type scrolling struct {
	at     int
	end    bool // the last line has been in sight
	height int
	lines  int
}

// press scrolls, or reports that the key means something else.
func (s *scrolling) press(k string) bool {
	step, page := 1, max(s.height-3, 1)
	switch k {
	case "up", "k":
		step = -1
	case "down", "j":
	case "pgup":
		step = -page
	case "pgdown", "space":
		step = page
	case "home":
		step = -s.lines
	case "end":
		step = s.lines
	default:
		return false
	}
	s.at = max(min(s.at+step, s.lines-s.height+1), 0)
	return true
}

// view draws the part that is in sight, with marks for the rest.
func (s *scrolling) view(lines []string, height int, l look, w *Catalogue) []string {
	height = max(height, 3)
	s.height, s.lines = height, len(lines)
	win := window(len(lines), height, s.at)
	s.end = s.end || win.to == len(lines)
	var out []string
	mark := func(arrow string, n int, key string) {
		if n > 0 {
			out = append(out, blank+l.dim.Render(arrow+" "+w.count(w.MoreLines, n)+" · "+key))
		}
	}
	mark("↑", win.from, w.PageUp)
	out = append(out, lines[win.from:win.to]...)
	mark("↓", len(lines)-win.to, w.PageDown)
	return out
}
