package words

// English returns the English words, which every language has in its own.
func English() *Catalogue {
	return &Catalogue{
		Tag: "en", Name: "English", Dir: LeftToRight, form: two,
		Format:   Format{Thousands: ",", Point: ".", QuoteOpen: "“", QuoteClose: "”"},
		Terminal: englishTerminal(),
		Times:    englishTimes(),
		Inbox:    englishInbox(),
		Keys:     englishKeys(),
		Web:      englishWeb(),
		Stats:    englishStats(),
		Script:   englishScript(),
		Notify:   englishNotify(),
	}
}

func englishTimes() Times {
	return Times{
		JustNow:    "just now",
		MinutesAgo: Plural{One: "%d min ago", Other: "%d min ago"},
		HoursAgo:   Plural{One: "%d h ago", Other: "%d h ago"},
		DaysAgo:    Plural{One: "%d day ago", Other: "%d days ago"},
		DueNow:     "due now",
		DueMinutes: Plural{One: "due in %d min", Other: "due in %d min"},
		DueHours:   Plural{One: "due in %d h", Other: "due in %d h"},
		DueDays:    Plural{One: "due in %d day", Other: "due in %d days"},
		Seconds:    "%d s", Minutes: "%d min", Hours: "%d h", Days: "%d d",
		Today: "today %s", Yesterday: "yesterday %s", Tomorrow: "tomorrow %s",
		Date: "%d %s", DateInYear: "%d %s %d", DateWithTime: "%s, %s",
		Months: [12]string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
	}
}
