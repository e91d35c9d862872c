package words

func arabicInbox() Inbox {
	return Inbox{
		Waiting: "بالانتظار", Later: "لاحقًا", History: "السجل", All: "الكل",
		Search: "بحث", SearchHint: "البحث في الأسئلة والأجوبة", NothingFound: "لا نتائج", NothingHere: "لا شيء هنا", More: "المزيد",
		Filter: "تصفية", ClearFilters: "إلغاء التصفية", Any: "أيّ",
		Agent: "الوكيل", Asker: "السائل", Workspace: "مساحة العمل", Branch: "الفرع", Conversation: "المحادثة",
		Person: "الشخص", Kind: "النوع", Age: "العمر", Blocking: "يعطّل العمل",
		Questions: "أسئلة", Approvals: "أذونات",
		OldestFirst: "الأقدم أولًا", BlockingFirst: "الأكثر تعطيلًا أولًا",
		GroupByConversation: "تجميع حسب المحادثة", NoConversation: "بلا محادثة",

		Undo: "تراجع", UndoHint: "يمكنك التراجع حتى يتسلّم الوكيل الجواب.", Undone: "تم التراجع. السؤال مفتوح من جديد.",
		Amend: "تعديل الجواب", AmendHint: "لدى الوكيل الجواب السابق. سيصله هذا رسالةً متأخرة.", Amended: "تم التعديل. يُبلَّغ الوكيل.",
		NotAmended: "لم يُعدَّل: %s",
		AskAgain:   "اسأل من جديد", AgainHint: "هذا سؤال جديد بالنص نفسه. يصل الجواب إلى الوكيل مع تعليمته التالية.",
		AgainBy: "سأل %s هذا من جديد", AgainByYou: "سألت هذا من جديد", NotAgain: "لم يُسأل من جديد: %s",
		Delivered: "سُلِّم", Late: "متأخر", NotDelivered: "لم يُسلَّم بعد",

		LaterTitle: "أظهر هذا السؤال من جديد", LaterHour: "بعد ساعة", LaterTomorrow: "غدًا 8:00",
		LaterMonday: "الاثنين 8:00", LaterBack: "عند عودتي",
		LaterUntil: "لاحقًا: %s", LaterUntilBack: "لاحقًا: عند عودتك",
		Unsnoozed: "السؤال في انتظارك من جديد.",
		Delegate:  "تفويض", DelegateTo: "إلى", Comment: "تعليق",
		DelegatedTo: "فُوِّض إلى %s", DelegatedBy: "فوّض %s هذا إليك",
		Decline: "رفض الإجابة", DeclineReason: "السبب", DeclineHint: "اختياري. يقرؤه الوكيل.",

		AnsweredBefore: "أُجيب عنه من قبل", SameQuestion: "السؤال نفسه", LikeQuestion: "سؤال مشابه",
		CannotReuse: "لا يصلح هنا: اقرأه ثم أجب.",

		SameOthers: Plural{Zero: "لا أسئلة مطابقة", One: "سؤال آخر مطابق", Two: "سؤالان آخران مطابقان", Few: "%d أسئلة أخرى مطابقة", Many: "%d سؤالًا آخر مطابقًا", Other: "%d سؤال آخر مطابق"},
		Together:   "أجب عنها معًا", TogetherHint: "كلٌّ منها ظاهر أدناه. يُسجَّل جوابك لكلٍّ منها.",
		SendAll:      Plural{Zero: "أرسل", One: "أرسل جوابًا واحدًا", Two: "أرسل جوابين", Few: "أرسل %d أجوبة", Many: "أرسل %d جوابًا", Other: "أرسل %d جواب"},
		AllowAll:     Plural{Zero: "اسمح", One: "اسمح بواحد", Two: "اسمح بكليهما", Few: "اسمح بها كلها (%d)", Many: "اسمح بها كلها (%d)", Other: "اسمح بها كلها (%d)"},
		DenyAll:      Plural{Zero: "امنع", One: "امنع واحدًا", Two: "امنع كليهما", Few: "امنعها كلها (%d)", Many: "امنعها كلها (%d)", Other: "امنعها كلها (%d)"},
		EachRecorded: "يُسجَّل كلٌّ منها على حدة.",

		WasAnswered: "تمت الإجابة", WasDeclined: "رُفضت الإجابة", WasCancelled: "أُلغي", WasWithdrawn: "لم يعد الوكيل يحتاج إلى هذا الجواب",
		WasExpired: "انتهت المهلة", WasSuperseded: "حلّ محلّه طلب أحدث", WasUnanswered: "أُغلق بلا جواب", LeftForLater: "تُرك لوقت لاحق", NotYet: "لم يُجب عنه بعد",
		WasUndone: "تم التراجع عنه", WasAmended: "عُدِّل", WasLate: "وصل متأخرًا",
	}
}
