package surfacetest

import (
	"fmt"
	"time"

	"github.com/saysohq/sayso"
)

// Decision is an ask of [Forty] and what the scripted person says to it.
type Decision struct {
	Ask    *sayso.Ask `json:"ask"`
	Choose []int      `json:"choose,omitempty"` // the numbers of the options, from 1
	Type   string     `json:"type,omitempty"`   // own words
	Same   string     `json:"same,omitempty"`   // those with the same word here are identical questions
}

// Forty returns a morning's work: 40 asks of 8 agents, the oldest first, a minute
// apart until now. Every surface that people choose has to get a person through it with
// few keys or taps. testdata/forty.json has the same for other languages.
func Forty(now time.Time) []Decision {
	all := fortyDecisions()
	for i := range all {
		a := all[i].Ask
		a.ID = fmt.Sprintf("forty-%02d", i+1)
		a.AskedAt = now.Add(-time.Duration(len(all)-i) * time.Minute)
		a.Origin = crew[i%len(crew)]
	}
	return all
}

// crew are the agents.
var crew = []sayso.Origin{
	{Conversation: "c1", Host: "claude-code", Workspace: "payments-api", Branch: "main"},
	{Conversation: "c2", Host: "codex", Workspace: "shipping", Branch: "labels"},
	{Conversation: "c3", Agents: []string{"planner", "researcher"}, Host: "crush", Workspace: "docs", Branch: "release/2.0"},
	{Conversation: "c4", Host: "gemini-cli", Workspace: "mobile", Branch: "main"},
	{Conversation: "c5", Host: "opencode", Workspace: "infra", Branch: "terraform"},
	{Conversation: "c6", Host: "pi", Workspace: "ledger", Branch: "spike/storage"},
	{Conversation: "c7", Host: "copilot", Workspace: "webshop", Branch: "checkout"},
	{Conversation: "c8", Host: "qwen-code", Workspace: "search", Branch: "main"},
}

// choice is a single choice, of which the person takes the option with the number.
func choice(take int, header, text string, labels ...string) Decision {
	q := sayso.Question{Header: header, Text: text}
	for _, l := range labels {
		q.Options = append(q.Options, sayso.Option{Label: l})
	}
	return Decision{Ask: &sayso.Ask{Questions: []sayso.Question{q}}, Choose: []int{take}}
}

func yesNo(take int, header, text string) Decision { return choice(take, header, text, "Yes", "No") }

// several may be chosen.
func several(take []int, header, text string, labels ...string) Decision {
	d := choice(0, header, text, labels...)
	d.Ask.Questions[0].Multi, d.Choose = true, take
	return d
}

// inWords has no options.
func inWords(header, text, answer string) Decision {
	return Decision{Ask: &sayso.Ask{Questions: []sayso.Question{{Header: header, Text: text}}}, Type: answer}
}

// mayI asks for permission to run a command.
func mayI(take int, command, reason string) Decision {
	p := sayso.NewApproval(sayso.ApproveShell, "Bash", input("command", command, "description", reason),
		&sayso.ApprovalOptions{Command: "command", Reason: "description"})
	p.Cwd, p.Mode = "/home/ann/work", "default"
	p.Offers = []sayso.Offer{{ID: "once", Act: sayso.ActAllow}, {ID: "deny", Act: sayso.ActDeny, Message: true}}
	return Decision{Ask: &sayso.Ask{Kind: sayso.AskApproval, Approval: p, Dialect: sayso.ApprovalDialect}, Choose: []int{take}}
}

// described puts descriptions to the options of a choice.
func described(d Decision, descriptions ...string) Decision {
	for i, text := range descriptions {
		d.Ask.Questions[0].Options[i].Description = text
	}
	return d
}

// same marks identical questions.
func same(word string, d Decision) Decision {
	d.Same = word
	return d
}

func fortyDecisions() []Decision {
	license := func() Decision {
		return same("license", choice(2, "License", "Which license header should new files get?", "MIT", "Apache-2.0", "None"))
	}
	branch := choice(2, "Cleanup", "What shall become of the branch release/1.x?", "Keep it", "Delete it")
	branch.Ask.Questions[0].Options[1].Danger = true
	return []Decision{
		described(choice(1, "Database", "Which database should the payments service use?", "PostgreSQL (Recommended)", "SQLite", "MongoDB"),
			"Already runs in production", "One file, no server", "Document store"),
		choice(2, "Carrier", "Which carrier should the label test use?", "DHL", "UPS", "Sandbox"),
		yesNo(1, "Links", "May I rewrite all relative links to absolute ones?"),
		choice(1, "Minimum", "Which Android version is the oldest to support?", "10", "11", "12", "13"),
		mayI(1, "terraform plan -out plan.bin", "See what would change"),
		choice(3, "Storage", "Where should ledger entries be kept?", "Memory", "Files", "A write-ahead log"),
		several([]int{1, 3}, "Payment", "Which payment methods should the checkout offer first?", "Card", "Invoice", "PayPal", "Apple Pay"),
		choice(2, "Analyzer", "Which analyzer should German texts use?", "standard", "german", "icu"),

		license(),
		yesNo(2, "Retries", "Should a failed label print be tried again without asking?"),
		inWords("Title", "What should the new guide be called?", "Moving to version 2"),
		choice(1, "Crash", "How should crash reports be sent?", "On the next start", "At once", "Never"),
		choice(2, "Region", "Which region should the standby run in?", "eu-west-1", "eu-central-1"),
		yesNo(1, "Rounding", "Is it right that half cents are rounded to even?"),
		choice(1, "Sort", "How should products be sorted by default?", "By relevance", "By price", "By name"),
		mayI(1, "go test ./index/...", "Check the index after the change"),

		choice(2, "Errors", "What should the API return for an unknown currency?", "400", "422", "404"),
		license(),
		choice(1, "Tone", "Should the tutorial say “you” or “we”?", "You", "We"),
		yesNo(1, "Tablets", "Should the tablet layout be part of this release?"),
		choice(3, "Size", "Which machine size should workers have?", "small", "medium", "large"),
		choice(1, "Currency", "In which unit should amounts be stored?", "Cents as integers", "Decimals as text"),
		branch,
		several([]int{2, 4}, "Fields", "Which fields should the search weigh more?", "Body", "Title", "Author", "Tags"),

		inWords("Commit", "How should I word the commit message?", "api: refuse amounts without a currency"),
		choice(1, "Format", "Which label format should be the default?", "PDF", "ZPL"),
		license(),
		choice(2, "Icons", "Which icon set should the app use?", "Material", "Own SVGs", "SF Symbols"),
		mayI(2, "terraform apply -auto-approve", "Apply the plan"),
		yesNo(2, "Delete", "Should closed accounts be removed from the export?"),
		choice(2, "Cache", "How long may prices be cached?", "10 s", "1 min", "10 min"),
		choice(1, "Stemming", "Should “houses” find “house”?", "Yes, everywhere", "Only in titles", "No"),

		choice(1, "Webhook", "How should webhooks be signed?", "HMAC-SHA256", "Ed25519"),
		choice(2, "Address", "What to do with an address that cannot be checked?", "Refuse it", "Ask the customer", "Ship anyway"),
		several([]int{1, 2}, "Pages", "Which pages should be translated first?", "Install", "Quick start", "Reference", "FAQ"),
		choice(3, "Login", "How should the app sign in?", "Password", "Magic link", "Passkey"),
		inWords("Alert", "Which channel should get the alerts?", "#infra-night"),
		choice(1, "Export", "Which format should the yearly export have?", "CSV", "Parquet"),
		yesNo(1, "Guest", "Should guests be able to check out?"),
		mayI(1, "make bench", "Compare with the index before"),
	}
}
