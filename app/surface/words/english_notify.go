package words

func englishNotify() Notify {
	return Notify{
		TestSent: "A test is on its way to %s. Did it arrive?", Arrived: "Yes, it arrived", No: "No",
		OpenService: "Open %s", CodeHint: "The code works once, within 10 minutes. Then load this page again.", Link: "Link %s",
		TelegramDo: "Open the link, or send this message to @%s:", SlackDo: "In Slack, type this into any message field and send it:",
		Everybody: "Questions to everybody", EverybodyToo: "Notify me of questions to everybody, not only of those to me",
		ThisDevice: "This device", HereOn: "This device gets notifications.", HereOff: "This device gets no notifications.",
		TurnOn: "Turn on notifications", TurnOnAgain: "Turn on again", TurnOff: "Turn off on this device",
		NeedsScript: "To turn notifications on, this page needs JavaScript. Everything else here works without.",
		NoBrowsers:  "This hub sends no notifications to browsers.",

		Devices: "Your devices and accounts", None: "None yet.",
		Show: "Show", ShowNamed: "What notifications on %s show", When: "Notify", WhenNamed: "When %s is notified",
		SaveNamed: "Save %s", Test: "Send a test", TestNamed: "Send a test to %s", RemoveNamed: "Remove %s",
		ShowCount: "that a question waits", ShowSender: "which agent asks", ShowText: "the question", AtOnce: "at once", After: "after %s",
		Desktop: "Desktop", Terminal: "Terminal", Command: "Command", Browser: "Browser", Mail: "Mail",
		Off: "Off: %s. Turn it on again there, or remove it.", Ended: "the subscription has ended",
		Failing: "Not working for %s: %s", UnknownReason: "the reason is not known",
		Untested: "On. Send a test to see whether notifications arrive.", Works: "Works. You last saw a notification there %s.",

		Mute: "Mute", MuteHour: "Mute for 1 hour", MuteTomorrow: "Mute until tomorrow, 8:00",
		MutedUntil: "Everything is muted until %s.", Unmute: "Turn notifications on again",
		StillWait: "Muted questions still wait in the inbox.", EveryAgent: "Every agent", IsMutedUntil: "muted until %s", IsMuted: "muted",
		UnmuteOne: "Unmute", UnmuteNamed: "Unmute %s", MuteAgent: "Mute an agent",
		Quiet: "Quiet hours", NoneEveryDay: "No notifications every day", From: "from", To: "to", InZone: "in the time zone",
		DeadlinesToo: "Notify me all the same of questions that expire in these hours", SaveQuiet: "Save quiet hours",
		QuietHint: "What arrives in quiet hours is told at their end, in one notification.",

		NowOn: "This device gets notifications.", NowOff: "This device gets no more notifications.", Removed: "Removed.",
		Confirmed: "Good. Notifications arrive there.", Muted: "Muted. Questions still wait in the inbox.", Unmuted: "Notifications are on again.",
		Unreadable:    "Nothing was changed: the form could not be read.",
		WhichAgent:    "Say which agent to mute.",
		Outdated:      "Nothing was changed: the page is out of date. Load it again.",
		Gone:          "This device or account is not there any more.",
		NoChannel:     "This hub does not send notifications that way.",
		MaybeUnsaved:  "This may not have been stored. Try again in a moment.",
		NoPushService: "This browser’s push service is not one that this hub sends to.",
		ChooseDetail:  "Choose what a notification shows.",
		ChooseAfter:   "Choose after how long you are notified.",
		TestFailed:    "The test did not get through to %s: %s",
		BadZone:       "Nothing was changed: unknown time zone %s; use a name such as Europe/Berlin.",
		BadHours:      "Nothing was changed: invalid quiet hours %s to %s; use two different times such as 22:00 and 07:00.",
		NoZone:        "Nothing was changed: the time zone is not known.",
		ChooseMute:    "Choose for how long to mute.",
	}
}
