package words

func arabicKeys() KeyWords {
	return KeyWords{
		Title: "المفاتيح", NotInFields: "لا تفعل الحروف شيئًا وأنت تكتب في حقل.",
		Next: "السؤال التالي", Prev: "السؤال السابق", Open: "فتح السؤال", Choose: "اختيار أحد الخيارات",
		Search: "بحث", Help: "عرض هذه المفاتيح", Later: "لاحقًا", Undo: "تراجع", Decline: "رفض مع ذكر السبب", Pass: "تفويض",
		Reuse: "استعمال الجواب السابق الظاهر", Batch: "الإجابة عن المتطابقة معًا، أو تحديد عدة أذونات",
		Views: "المنتظرة أو المؤجلة أو السجل أو الكل", Filter: "تصفية", Group: "تجميع حسب المحادثة",
		Amend: "تعديل جواب (في السجل)", Again: "السؤال من جديد (في السجل)", Change: "تغيير ما سيُنفَّذ قبل السماح به", Back: "رجوع",
		EnterKey: "Enter", EscapeKey: "Esc", UpKey: "↑", DownKey: "↓",
	}
}
