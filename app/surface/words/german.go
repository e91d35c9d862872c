package words

// German returns the German words.
func German() *Catalogue { return complete(german()) }

func german() *Catalogue {
	return &Catalogue{
		Tag: "de", Name: "Deutsch", Dir: LeftToRight, form: two,
		Format:   Format{Thousands: ".", Point: ",", QuoteOpen: "„", QuoteClose: "“"},
		Terminal: germanTerminal(),
		Times:    germanTimes(),
		Inbox:    germanInbox(),
		Keys:     germanKeys(),
		Web:      germanWeb(),
		Stats:    germanStats(),
		Script:   germanScript(),
		Notify:   germanNotify(),
	}
}

func germanTimes() Times {
	return Times{
		JustNow:    "gerade eben",
		MinutesAgo: Plural{One: "vor %d Min.", Other: "vor %d Min."},
		HoursAgo:   Plural{One: "vor %d Std.", Other: "vor %d Std."},
		DaysAgo:    Plural{One: "vor %d Tag", Other: "vor %d Tagen"},
		DueNow:     "jetzt fällig",
		DueMinutes: Plural{One: "fällig in %d Min.", Other: "fällig in %d Min."},
		DueHours:   Plural{One: "fällig in %d Std.", Other: "fällig in %d Std."},
		DueDays:    Plural{One: "fällig in %d Tag", Other: "fällig in %d Tagen"},
		Seconds:    "%d Sek.", Minutes: "%d Min.", Hours: "%d Std.", Days: "%d T.",
		Today: "heute %s", Yesterday: "gestern %s", Tomorrow: "morgen %s",
		Date: "%d. %s", DateInYear: "%d. %s %d", DateWithTime: "%s, %s",
		Months: [12]string{"Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."},
	}
}
