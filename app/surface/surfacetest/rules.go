package surfacetest

// Rule is one rule of the contract.
type Rule struct {
	ID   string // V1
	Name string // complete
	Text string // what it demands, for docs/contributing/surfaces.md
}

// Rules is the contract.
var Rules = []Rule{
	{"V1", "complete", "Everything that the digest covers can be seen before an answer counts. Content that needs scrolling or opening must have been within reach; until then sending is refused, with the reason. A surface that cannot show it takes no answer and says where to give one."},
	{"V2", "identity", "What the hub verified about who asks is shown apart from what the asker claims, in lists too. Without a credential it says “unverified”."},
	{"V3", "explicit", "Nothing is preselected. No key acts on a control that is out of sight. Keys typed before the question appeared do nothing."},
	{"V4", "danger", "A dangerous option is marked, and takes a second, deliberate action that names it."},
	{"V5", "sent is stored", "What you send is stored byte for byte. Undo and history show exactly that."},
	{"V6", "nothing typed is lost", "Not by a failed send, a dead hub, a resize, an answer elsewhere, or by leaving and coming back."},
	{"V7", "true messages", "“Sent”, “withdrawn” and “saved” appear only after the hub confirmed it. Undo is offered only while the agent does not have the answer."},
	{"V8", "closed elsewhere", "The surface says who answered, where and what. What you typed stays."},
	{"V9", "bound", "An answer names its ask and carries its digest. It never reaches another ask."},
	{"V10", "same input, same meaning", "A label, number or word means the same as on every other surface."},
	{"V11", "marks", "Recommended, dangerous, secret, the deadline and what is held up are shown wherever the ask is. A question whose answer is final says so. A question that asks for a secret without saying so has a warning."},
	{"V12", "usable", "Without color, in 40 columns, line by line, by keyboard."},
}

// Listed is a surface in the table of docs/contributing/surfaces.md.
type Listed struct {
	Name   string
	Kind   string            // of surface: terminal, lines, command, page, chat, desktop, protocol
	Test   string            // that runs the suite: package.TestName
	Exempt map[string]string // by rule: why it does not concern this surface

	Approvals Approvals // what it does with approvals
}

const clients = "the program at the other end draws and keeps its own form"

// The reasons of notifications.
const (
	untyped   = "you can press buttons there, and type nothing"
	withdrawn = "the notification is taken away; the inbox has who answered, where and what"
	drawn     = "the desktop's own program draws it"
	app       = "the ntfy app draws it"
)

// Surfaces are all surfaces. A test in the package of each runs the suite.
var Surfaces = []Listed{
	{Name: "terminal dialog", Kind: "terminal", Test: "app/surface/tui.TestSurfaceDialog", Approvals: ShowsAll},
	{Name: "terminal inbox", Kind: "terminal", Test: "app/surface/tui.TestSurfaceInbox", Approvals: ShowsAll},
	{Name: "prompt", Kind: "lines", Test: "app/surface/surfacetest.TestPrompt", Approvals: ShowsAll},
	{Name: "show and answer", Kind: "command", Test: "app/internal/cli.TestSurface", Approvals: ShowsAll},
	{Name: "web", Kind: "page", Test: "app/surface/web.TestSurface", Approvals: ShowsAll},
	{Name: "Telegram", Kind: "chat", Test: "app/surface/notify/telegram.TestSurface", Approvals: OnlyDenies},
	{Name: "Slack", Kind: "chat", Test: "app/surface/notify/slack.TestSurface", Approvals: OnlyDenies},
	{Name: "JSON-RPC, client/ask_user", Kind: "protocol", Test: "app/door/jsonrpc.TestSurfaceQuestion", Approvals: ShowsAsk, Exempt: map[string]string{"V12": clients}},
	{Name: "JSON-RPC, ask_user_request", Kind: "protocol", Test: "app/door/jsonrpc.TestSurfaceForm", Approvals: ShowsAsk, Exempt: map[string]string{"V12": clients}},
	{Name: "MCP form", Kind: "protocol", Test: "app/door/mcp.TestSurface", Approvals: ShowsAsk, Exempt: map[string]string{"V12": clients}},
	{Name: "ACP form", Kind: "protocol", Test: "app/door/acp.TestSurfaceForm", Approvals: ShowsAsk, Exempt: map[string]string{"V12": clients}},
	{Name: "ACP permission", Kind: "protocol", Test: "app/door/acp.TestSurfacePermission", Approvals: ShowsAsk, Exempt: map[string]string{"V12": clients}},
	{Name: "desktop notification", Kind: "desktop", Test: "app/surface/notify/desktop.TestSurface", Approvals: OnlyDenies, Exempt: map[string]string{
		"V5": untyped, "V6": untyped, "V8": withdrawn, "V10": untyped, "V12": drawn,
	}},
	{Name: "ntfy", Kind: "desktop", Test: "app/surface/notify/ntfy.TestSurface", Approvals: OnlyDenies, Exempt: map[string]string{
		"V5": untyped, "V6": untyped, "V8": withdrawn, "V10": untyped, "V12": app,
	}},
}
