package words

func germanKeys() KeyWords {
	return KeyWords{
		Title: "Tasten", NotInFields: "Buchstaben bewirken nichts, solange Sie in einem Feld schreiben.",
		Next: "nächste Frage", Prev: "vorige Frage", Open: "Frage öffnen", Choose: "eine Möglichkeit wählen",
		Search: "suchen", Help: "diese Tasten zeigen", Later: "später", Undo: "rückgängig", Decline: "ablehnen, mit Begründung", Pass: "weitergeben",
		Reuse: "die gezeigte frühere Antwort übernehmen", Batch: "gleiche Fragen zusammen beantworten oder mehrere Erlaubnisse auswählen",
		Views: "wartend, später, Verlauf oder alle", Filter: "filtern", Group: "nach Unterhaltung gruppieren",
		Amend: "eine Antwort berichtigen (im Verlauf)", Again: "eine Frage noch einmal stellen (im Verlauf)", Change: "ändern, was ausgeführt wird, bevor Sie es erlauben", Back: "zurück",
		EnterKey: "Enter", EscapeKey: "Esc", UpKey: "↑", DownKey: "↓",
	}
}
