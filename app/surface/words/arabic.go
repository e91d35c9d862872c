package words

// Arabic returns the Arabic words, which are written from right to left and have six
// forms of plurals. The terminal does not use them: terminals differ in what they do
// with text from right to left.
func Arabic() *Catalogue { return complete(arabic()) }

func arabic() *Catalogue {
	return &Catalogue{
		Tag: "ar", Name: "العربية", Dir: RightToLeft, form: six,
		Format:   Format{Thousands: ",", Point: ".", QuoteOpen: "«", QuoteClose: "»"},
		Terminal: arabicTerminal(),
		Times:    arabicTimes(),
		Inbox:    arabicInbox(),
		Keys:     arabicKeys(),
		Web:      arabicWeb(),
		Stats:    arabicStats(),
		Script:   arabicScript(),
		Notify:   arabicNotify(),
	}
}

func arabicTimes() Times {
	return Times{
		JustNow:    "الآن",
		MinutesAgo: Plural{Zero: "الآن", One: "قبل دقيقة", Two: "قبل دقيقتين", Few: "قبل %d دقائق", Many: "قبل %d دقيقة", Other: "قبل %d دقيقة"},
		HoursAgo:   Plural{Zero: "الآن", One: "قبل ساعة", Two: "قبل ساعتين", Few: "قبل %d ساعات", Many: "قبل %d ساعة", Other: "قبل %d ساعة"},
		DaysAgo:    Plural{Zero: "اليوم", One: "قبل يوم", Two: "قبل يومين", Few: "قبل %d أيام", Many: "قبل %d يومًا", Other: "قبل %d يوم"},
		DueNow:     "حان الموعد",
		DueMinutes: Plural{Zero: "حان الموعد", One: "باقٍ دقيقة", Two: "باقٍ دقيقتان", Few: "باقٍ %d دقائق", Many: "باقٍ %d دقيقة", Other: "باقٍ %d دقيقة"},
		DueHours:   Plural{Zero: "حان الموعد", One: "باقٍ ساعة", Two: "باقٍ ساعتان", Few: "باقٍ %d ساعات", Many: "باقٍ %d ساعة", Other: "باقٍ %d ساعة"},
		DueDays:    Plural{Zero: "حان الموعد", One: "باقٍ يوم", Two: "باقٍ يومان", Few: "باقٍ %d أيام", Many: "باقٍ %d يومًا", Other: "باقٍ %d يوم"},
		Seconds:    "%d ث", Minutes: "%d د", Hours: "%d س", Days: "%d ي",
		Today: "اليوم %s", Yesterday: "أمس %s", Tomorrow: "غدًا %s",
		Date: "%d %s", DateInYear: "%d %s %d", DateWithTime: "%s، %s",
		Months: [12]string{"يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر"},
	}
}
