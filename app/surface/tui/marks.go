package tui

import (
	"strings"

	"github.com/saysohq/sayso"
)

// marks are what the person should know before answering.
func (m *Model) marks(f *form) []string {
	if f.closed != nil {
		return nil
	}
	w := m.o.Words
	var marks []string
	if c := m.countdown(f); c != "" {
		marks = append(marks, c)
	}
	if held := f.ask.HeldUp(); held.Count() > 0 {
		marks = append(marks, w.say(w.HeldUp, w.waits(held)))
	}
	if needs := w.needs(f.ask); needs != "" {
		if f.ask.MinAssurance > m.o.By.Assurance {
			needs += " " + w.NotHere
		}
		marks = append(marks, needs)
	}
	if f.ask.Notice() != "" {
		marks = append(marks, w.Final)
	}
	if f.ask.Warning() != "" {
		marks = append(marks, w.AsksForSecret)
	}
	return marks
}

// needs is [sayso.Ask.Needs] in the language of the catalogue.
func (w *Catalogue) needs(a *sayso.Ask) string {
	switch {
	case a.Needs() == "":
		return ""
	case a.MinAssurance == sayso.AssuranceKey:
		return w.NeedsKey
	case a.MinAssurance == sayso.AssuranceLogin:
		return w.NeedsLogin
	}
	return w.NeedsPasskey
}

// countdown says how long a declared deadline is away and what it will do.
func (m *Model) countdown(f *form) string {
	if f.ask.Deadline.IsZero() {
		return ""
	}
	w := m.o.Words
	text := w.countdown(f.ask.Deadline.Sub(m.o.Now()))
	if !f.ask.OnExpiry.IsZero() {
		if f.touched {
			text += " · " + w.DefaultStopped
		} else {
			text += " · " + w.say(w.DefaultThen, cut(w.answers(f.ask, f.ask.OnExpiry.Default), 30))
		}
	}
	return text
}

// waits is [sayso.HeldUp.String] in the language of the catalogue.
func (w *Catalogue) waits(h sayso.HeldUp) string {
	var parts []string
	for _, each := range []struct {
		of    string
		names []string
	}{{w.NextTools, h.Tools}, {w.WaitingAgents, h.Agents}} {
		n := len(each.names)
		if n == 0 {
			continue
		}
		names := strings.Join(each.names[:min(n, 5)], ", ")
		if n > 5 {
			names += w.say(w.AndMore, n-5)
		}
		parts = append(parts, w.say(each.of, names))
	}
	return strings.Join(parts, "; ")
}

// holdsUp is [sayso.HeldUp.Short] in the language of the catalogue.
func (w *Catalogue) holdsUp(h sayso.HeldUp) string {
	switch n := h.Count(); {
	case n == 0:
		return ""
	case n >= 99: // they are not counted any further
		return w.HoldsUpMany
	default:
		return w.say(w.HoldsUp, n)
	}
}

// inShort are the marks of an ask in a list.
func (w *Catalogue) inShort(a *sayso.Ask, left string) []string {
	var marks []string
	if kind := w.kindOf(a); kind != "" {
		marks = append(marks, kind)
	}
	danger, secret := a.Marks()
	if danger {
		marks = append(marks, "! "+w.Dangerous)
	}
	if secret {
		marks = append(marks, w.Secret)
	}
	if a.Warning() != "" {
		marks = append(marks, "! "+w.WantsSecret)
	}
	for _, mark := range []string{left, w.holdsUp(a.HeldUp()), w.needs(a)} {
		if mark != "" {
			marks = append(marks, mark)
		}
	}
	return marks
}
