package words

// Action is what a key does, the same in the terminal and on the web.
type Action string

// The actions.
const (
	ActionNext    Action = "next"
	ActionPrev    Action = "previous"
	ActionOpen    Action = "open"
	ActionChoose  Action = "choose"
	ActionSearch  Action = "search"
	ActionHelp    Action = "help"
	ActionLater   Action = "later"
	ActionUndo    Action = "undo"
	ActionDecline Action = "decline"
	ActionPass    Action = "delegate"
	ActionReuse   Action = "reuse"
	ActionBatch   Action = "batch"
	ActionViews   Action = "views"
	ActionFilter  Action = "filter"
	ActionGroup   Action = "group"
	ActionAmend   Action = "amend"
	ActionAgain   Action = "again"
	ActionChange  Action = "change"
	ActionBack    Action = "back"
)

// Key is a row of the table of keys. Letters do nothing while a text field has the
// focus.
type Key struct {
	Action Action
	Keys   []string // "j", "down", "enter"; "1" stands for 1 to 9
	words  func(*KeyWords) string
}

// KeyWords say what the keys do.
type KeyWords struct {
	Title                               string // of the list of keys
	Next, Prev, Open, Choose, Search    string
	Help, Later, Undo, Decline, Pass    string
	Reuse, Batch, Views, Filter         string
	Group, Amend, Again, Change, Back   string
	NotInFields                         string // letters do nothing there
	EnterKey, EscapeKey, UpKey, DownKey string
}

// Keys returns the table of keys, in the order in which they are listed.
func Keys() []Key {
	return []Key{
		{ActionNext, []string{"j", "down"}, func(w *KeyWords) string { return w.Next }},
		{ActionPrev, []string{"k", "up"}, func(w *KeyWords) string { return w.Prev }},
		{ActionOpen, []string{"enter"}, func(w *KeyWords) string { return w.Open }},
		{ActionChoose, []string{"1"}, func(w *KeyWords) string { return w.Choose }},
		{ActionReuse, []string{"r"}, func(w *KeyWords) string { return w.Reuse }},
		{ActionUndo, []string{"u"}, func(w *KeyWords) string { return w.Undo }},
		{ActionLater, []string{"e"}, func(w *KeyWords) string { return w.Later }},
		{ActionDecline, []string{"x"}, func(w *KeyWords) string { return w.Decline }},
		{ActionPass, []string{"d"}, func(w *KeyWords) string { return w.Pass }},
		{ActionBatch, []string{"b"}, func(w *KeyWords) string { return w.Batch }},
		{ActionChange, []string{"c"}, func(w *KeyWords) string { return w.Change }},
		{ActionAmend, []string{"a"}, func(w *KeyWords) string { return w.Amend }},
		{ActionAgain, []string{"o"}, func(w *KeyWords) string { return w.Again }},
		{ActionSearch, []string{"/"}, func(w *KeyWords) string { return w.Search }},
		{ActionViews, []string{"v"}, func(w *KeyWords) string { return w.Views }},
		{ActionFilter, []string{"f"}, func(w *KeyWords) string { return w.Filter }},
		{ActionGroup, []string{"g"}, func(w *KeyWords) string { return w.Group }},
		{ActionHelp, []string{"?"}, func(w *KeyWords) string { return w.Help }},
		{ActionBack, []string{"q", "esc"}, func(w *KeyWords) string { return w.Back }},
	}
}

// KeyRow is a row of the table of keys, to be shown.
type KeyRow struct {
	Action Action
	Keys   []string // as they are called in the language: "j", "↓"
	Words  string   // what they do
}

// KeyRows is the table of keys in the words of the language.
func (w *Catalogue) KeyRows() []KeyRow {
	var rows []KeyRow
	for _, k := range Keys() {
		row := KeyRow{Action: k.Action, Words: k.words(&w.Keys)}
		for _, key := range k.Keys {
			row.Keys = append(row.Keys, w.keyName(key))
		}
		rows = append(rows, row)
	}
	return rows
}

func (w *Catalogue) keyName(key string) string {
	switch key {
	case "down":
		return w.Keys.DownKey
	case "up":
		return w.Keys.UpKey
	case "enter":
		return w.Keys.EnterKey
	case "esc":
		return w.Keys.EscapeKey
	case "1":
		return "1–9"
	}
	return key
}

// Browser returns the keys as KeyboardEvent.key calls them.
func (k Key) Browser() []string {
	var keys []string
	for _, key := range k.Keys {
		switch key {
		case "down":
			key = "ArrowDown"
		case "up":
			key = "ArrowUp"
		case "enter":
			key = "Enter"
		case "esc":
			key = "Escape"
		}
		keys = append(keys, key)
	}
	return keys
}
