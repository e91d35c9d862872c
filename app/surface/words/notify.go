package words

// Notify is what the page of notifications says.
type Notify struct {
	// What was tried, and accounts to link.
	TestSent, Arrived, No        string // %s: the name of a device
	OpenService, CodeHint, Link  string // %s: the name of a service
	TelegramDo, SlackDo          string // %s: the name of the bot
	Everybody, EverybodyToo      string
	ThisDevice, HereOn, HereOff  string
	TurnOn, TurnOnAgain, TurnOff string
	NeedsScript, NoBrowsers      string

	// Devices and accounts.
	Devices, None, Show, ShowNamed, When, WhenNamed string // %s: the name of a device
	SaveNamed, Test, TestNamed, RemoveNamed         string // %s: the name of a device
	ShowCount, ShowSender, ShowText, AtOnce, After  string // %s: how long
	Desktop, Terminal, Command, Browser, Mail       string
	Off, Ended                                      string // %s: why
	Failing, UnknownReason                          string // %s: for how long, why
	Untested, Works                                 string // %s: when it was last seen

	// Mutes and quiet hours.
	Mute, MuteHour, MuteTomorrow, MutedUntil, Unmute string // %s: when it ends
	StillWait, EveryAgent, IsMutedUntil, IsMuted     string // %s: when it ends
	UnmuteOne, UnmuteNamed, MuteAgent                string // %s: an agent
	Quiet, NoneEveryDay, From, To, InZone            string
	DeadlinesToo, SaveQuiet, QuietHint               string

	// What a form did, or why it did nothing.
	NowOn, NowOff, Removed, Confirmed, Muted, Unmuted string
	Unreadable, WhichAgent, Outdated, Gone, NoChannel string
	MaybeUnsaved, NoPushService                       string
	ChooseDetail, ChooseAfter, TestFailed             string // %s: the name of a device, why
	BadZone, BadHours                                 string // %s: what was typed
	NoZone, ChooseMute                                string
}
