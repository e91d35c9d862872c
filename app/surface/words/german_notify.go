package words

func germanNotify() Notify {
	return Notify{
		TestSent: "Ein Test ist unterwegs an %s. Ist er angekommen?", Arrived: "Ja, er ist angekommen", No: "Nein",
		OpenService: "%s öffnen", CodeHint: "Der Code gilt einmal, 10 Minuten lang. Laden Sie danach diese Seite neu.", Link: "%s verknüpfen",
		TelegramDo: "Öffnen Sie den Link, oder senden Sie diese Nachricht an @%s:", SlackDo: "Geben Sie das in Slack in irgendein Nachrichtenfeld ein und senden Sie es:",
		Everybody: "Fragen an alle", EverybodyToo: "Auch bei Fragen an alle benachrichtigen, nicht nur bei Fragen an mich",
		ThisDevice: "Dieses Gerät", HereOn: "Dieses Gerät bekommt Benachrichtigungen.", HereOff: "Dieses Gerät bekommt keine Benachrichtigungen.",
		TurnOn: "Benachrichtigungen einschalten", TurnOnAgain: "Wieder einschalten", TurnOff: "Auf diesem Gerät ausschalten",
		NeedsScript: "Um Benachrichtigungen einzuschalten, braucht diese Seite JavaScript. Alles andere hier geht ohne.",
		NoBrowsers:  "Dieser Hub sendet keine Benachrichtigungen an Browser.",

		Devices: "Ihre Geräte und Konten", None: "Noch keine.",
		Show: "Inhalt", ShowNamed: "Was Benachrichtigungen auf %s zeigen", When: "Zeitpunkt", WhenNamed: "Wann %s benachrichtigt wird",
		SaveNamed: "%s speichern", Test: "Test senden", TestNamed: "Test senden an %s", RemoveNamed: "%s entfernen",
		ShowCount: "dass eine Frage wartet", ShowSender: "welcher Agent fragt", ShowText: "die Frage", AtOnce: "sofort", After: "nach %s",
		Desktop: "Desktop", Terminal: "Terminal", Command: "Befehl", Browser: "Browser", Mail: "E-Mail",
		Off: "Aus: %s. Schalten Sie es dort wieder ein, oder entfernen Sie es.", Ended: "das Abonnement ist beendet",
		Failing: "Gestört seit %s: %s", UnknownReason: "der Grund ist nicht bekannt",
		Untested: "An. Senden Sie einen Test, um zu sehen, ob Benachrichtigungen ankommen.", Works: "Funktioniert. Ihre letzte Benachrichtigung dort: %s",

		Mute: "Stummschalten", MuteHour: "1 Stunde stummschalten", MuteTomorrow: "Bis morgen 8:00 Uhr stummschalten",
		MutedUntil: "Alles ist stumm bis %s.", Unmute: "Benachrichtigungen wieder einschalten",
		StillWait: "Stumme Fragen warten weiter im Posteingang.", EveryAgent: "Jeder Agent", IsMutedUntil: "stumm bis %s", IsMuted: "stumm",
		UnmuteOne: "Stummschaltung aufheben", UnmuteNamed: "Stummschaltung aufheben: %s", MuteAgent: "Agent stummschalten",
		Quiet: "Ruhezeit", NoneEveryDay: "Jeden Tag keine Benachrichtigungen", From: "von", To: "bis", InZone: "in der Zeitzone",
		DeadlinesToo: "Trotzdem benachrichtigen, wenn eine Frage in dieser Zeit abläuft", SaveQuiet: "Ruhezeit speichern",
		QuietHint: "Was in der Ruhezeit kommt, wird an ihrem Ende in einer einzigen Benachrichtigung gemeldet.",

		NowOn: "Dieses Gerät bekommt Benachrichtigungen.", NowOff: "Dieses Gerät bekommt keine Benachrichtigungen mehr.", Removed: "Entfernt.",
		Confirmed: "Gut. Benachrichtigungen kommen dort an.", Muted: "Stummgeschaltet. Fragen warten weiter im Posteingang.", Unmuted: "Benachrichtigungen sind wieder an.",
		Unreadable:    "Nichts wurde geändert: Das Formular war nicht lesbar.",
		WhichAgent:    "Geben Sie an, welcher Agent stumm sein soll.",
		Outdated:      "Nichts wurde geändert: Die Seite ist veraltet. Laden Sie sie neu.",
		Gone:          "Dieses Gerät oder Konto gibt es nicht mehr.",
		NoChannel:     "Dieser Hub sendet auf diesem Weg keine Benachrichtigungen.",
		MaybeUnsaved:  "Das wurde vielleicht nicht gespeichert. Versuchen Sie es gleich noch einmal.",
		NoPushService: "An den Push-Dienst dieses Browsers sendet dieser Hub nicht.",
		ChooseDetail:  "Wählen Sie, was eine Benachrichtigung zeigt.",
		ChooseAfter:   "Wählen Sie, nach welcher Zeit Sie benachrichtigt werden.",
		TestFailed:    "Der Test kam bei %s nicht an: %s",
		BadZone:       "Nichts wurde geändert: unbekannte Zeitzone %s; verwenden Sie einen Namen wie Europe/Berlin.",
		BadHours:      "Nichts wurde geändert: ungültige Ruhezeit von %s bis %s; verwenden Sie zwei verschiedene Zeiten wie 22:00 und 07:00.",
		NoZone:        "Nichts wurde geändert: Die Zeitzone ist nicht bekannt.",
		ChooseMute:    "Wählen Sie, wie lange stummgeschaltet wird.",
	}
}
