package tui

import "github.com/saysohq/sayso"

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
		marks = append(marks, w.say(w.HeldUp, w.WaitsBehind(held)))
	}
	if needs := w.Needs(f.ask); needs != "" {
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
	for _, mark := range []string{left, w.HowMuchWaits(a.HeldUp()), w.Needs(a)} {
		if mark != "" {
			marks = append(marks, mark)
		}
	}
	return marks
}
