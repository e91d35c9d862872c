package tui

import (
	"charm.land/lipgloss/v2"
)

// look is how things are drawn. Every colour stands out from its background at
// 4.5:1 or more, and nothing is told by colour alone: where colour is off, bold,
// marks and words remain. Plain text keeps the colour that the person chose for
// the terminal.
type look struct {
	plain, bold, dim, accent, chosen, ok, warn, danger, code, removed, hunk lipgloss.Style
}

func newLook(dark bool) look {
	pick := lipgloss.LightDark(dark)
	ink := func(light, onDark string) lipgloss.Style {
		return lipgloss.NewStyle().Foreground(pick(lipgloss.Color(light), lipgloss.Color(onDark)))
	}
	return look{
		plain:  lipgloss.NewStyle(),
		bold:   lipgloss.NewStyle().Bold(true),
		dim:    ink("#61616D", "#9C9CAB"),
		accent: ink("#5A32C8", "#B69CFF").Bold(true),
		chosen: ink("#0B6B43", "#5FD7A0").Bold(true),
		ok:     ink("#0B6B43", "#5FD7A0"),
		warn:   ink("#8A4F00", "#FFC66D"),
		danger: ink("#B3261E", "#FF8A80").Bold(true),
		code:   ink("#6A3A9A", "#A5C8FF"),

		removed: ink("#B3261E", "#FF8A80"),
		hunk:    ink("#00687A", "#7FDBE8"),
	}
}
