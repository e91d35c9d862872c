package words

func germanInbox() Inbox {
	return Inbox{
		Waiting: "Wartend", Later: "Später", History: "Verlauf", All: "Alle",
		Search: "Suchen", SearchHint: "Fragen und Antworten durchsuchen", NothingFound: "Nichts gefunden", NothingHere: "Nichts vorhanden", More: "Mehr",
		Filter: "Filtern", ClearFilters: "Filter aufheben", Any: "beliebig",
		Agent: "Agent", Asker: "Fragender", Workspace: "Arbeitsbereich", Branch: "Branch", Conversation: "Unterhaltung",
		Person: "Person", Kind: "Art", Age: "Alter", Blocking: "Blockierend",
		Questions: "Fragen", Approvals: "Erlaubnisse",
		OldestFirst: "Älteste zuerst", BlockingFirst: "Was am meisten aufhält",
		GroupByConversation: "Nach Unterhaltung gruppieren", NoConversation: "Ohne Unterhaltung",

		Undo: "Rückgängig", UndoHint: "Rückgängig geht, bis der Agent die Antwort erhält.", Undone: "Rückgängig gemacht. Die Frage ist wieder offen.",
		Amend: "Antwort berichtigen", AmendHint: "Der Agent hat die frühere Antwort. Diese erhält er als spätere Nachricht.", Amended: "Berichtigt. Der Agent erfährt es.",
		NotAmended: "Nicht berichtigt: %s",
		AskAgain:   "Noch einmal fragen", AgainHint: "Das ist eine neue Frage mit demselben Text. Der Agent erhält die Antwort mit seinem nächsten Prompt.",
		AgainBy: "%s hat das noch einmal gefragt", AgainByYou: "Sie haben das noch einmal gefragt", NotAgain: "Nicht noch einmal gefragt: %s",
		Delivered: "zugestellt", Late: "verspätet", NotDelivered: "noch nicht zugestellt",

		LaterTitle: "Diese Frage wieder zeigen", LaterHour: "in 1 Stunde", LaterTomorrow: "morgen 8:00",
		LaterMonday: "Montag 8:00", LaterBack: "wenn ich zurück bin",
		LaterUntil: "später: %s", LaterUntilBack: "später: wenn Sie zurück sind",
		Unsnoozed: "Die Frage wartet wieder auf Sie.",
		Delegate:  "Weitergeben", DelegateTo: "An", Comment: "Kommentar",
		DelegatedTo: "Weitergegeben an %s", DelegatedBy: "%s hat Ihnen das weitergegeben",
		Decline: "Nicht antworten", DeclineReason: "Begründung", DeclineHint: "Freiwillig. Der Agent liest sie.",

		AnsweredBefore: "Schon einmal beantwortet", SameQuestion: "dieselbe Frage", LikeQuestion: "eine ähnliche Frage",
		CannotReuse: "Sie passt hier nicht: Lesen Sie sie, dann antworten Sie.",

		SameOthers: Plural{One: "%d weitere Frage ist gleich", Other: "%d weitere Fragen sind gleich"},
		Together:   "Zusammen beantworten", TogetherHint: "Jede ist unten gezeigt. Ihre Antwort wird für jede festgehalten.",
		SendAll:      Plural{One: "%d Antwort senden", Other: "%d Antworten senden"},
		AllowAll:     Plural{One: "%d erlauben", Other: "Alle %d erlauben"},
		DenyAll:      Plural{One: "%d ablehnen", Other: "Alle %d ablehnen"},
		EachRecorded: "Jede wird einzeln festgehalten.",

		WasAnswered: "Beantwortet", WasDeclined: "Abgelehnt", WasCancelled: "Abgebrochen", WasWithdrawn: "Der Agent braucht diese Antwort nicht mehr",
		WasExpired: "Die Frist ist abgelaufen", WasSuperseded: "Durch Neueres ersetzt", WasUnanswered: "Ohne Antwort geschlossen", LeftForLater: "auf später verschoben", NotYet: "noch nicht beantwortet",
		WasUndone: "rückgängig gemacht", WasAmended: "berichtigt", WasLate: "kam zu spät",
	}
}
