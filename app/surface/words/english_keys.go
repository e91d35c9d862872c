package words

func englishKeys() KeyWords {
	return KeyWords{
		Title: "Keys", NotInFields: "Letters do nothing while you type in a field.",
		Next: "next question", Prev: "previous question", Open: "open the question", Choose: "choose an option",
		Search: "search", Help: "show these keys", Later: "later", Undo: "undo", Decline: "decline, with a reason", Pass: "delegate",
		Reuse: "reuse the earlier answer shown", Batch: "answer identical ones together, or select several approvals",
		Views: "waiting, later, history or all", Filter: "filter", Group: "group by conversation",
		Amend: "amend an answer (in the history)", Again: "ask a question once more (in the history)", Change: "change what will run before you allow it", Back: "back",
		EnterKey: "Enter", EscapeKey: "Esc", UpKey: "↑", DownKey: "↓",
	}
}
