package acp

import (
	"strings"
	"unicode/utf8"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/saysohq/sayso"
)

// maxShown is the most runes of an ask that an editor is sent in a request of ours.
// Dialogs of editors cut what is longer, or push the options out of sight.
const maxShown = 8000

// elsewhere says where an ask can be answered that the editor does not take.
const elsewhere = `answer with "sayso inbox" or "sayso web"`

// unfit says why an ask is not shown in the editor, in words that go on after what
// is asked; "" if it can be shown.
func unfit(a *sayso.Ask) string {
	size := utf8.RuneCountInString(sayso.RenderIntroduction(a))
	secret := false
	for i := range a.Questions {
		size += utf8.RuneCountInString(sayso.RenderQuestion(a, i))
		secret = secret || a.Questions[i].Secret
	}
	switch {
	case secret:
		return "asks for a secret, which an editor is not shown"
	case len(a.To) > 0:
		return "is for named people, and an editor does not say who answers"
	case a.MinAssurance > sayso.AssuranceLocal:
		return "is not answered in an editor. " + a.Needs()
	case size > maxShown:
		return "is too long to be shown in an editor"
	}
	return ""
}

// leftOut tells the person in the editor that an ask is not shown there.
func leftOut(a *sayso.Ask, why string) string {
	return "“" + sayso.Title(a) + "” " + strings.TrimSuffix(why, ".") + ": " + elsewhere + "."
}

// questionText is a question with its body. Lines of the asker are behind bars, so that
// none can pass for one of ours.
func questionText(q *sayso.Question) string {
	alone := &sayso.Ask{Questions: []sayso.Question{{Text: q.Text, Body: q.Body}}}
	return strings.TrimSpace(sayso.RenderQuestion(alone, 0))
}

// about is what an option shows besides its label.
func about(o *sayso.Option) string {
	return strings.TrimSpace(o.Description + "\n" + o.Preview)
}

// paragraphs joins what is not empty.
func paragraphs(parts ...string) string {
	var all []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			all = append(all, p)
		}
	}
	return strings.Join(all, "\n\n")
}

// verbatim is text as a content block that looks as it is. Editors render such
// blocks as Markdown, which would join the lines and hide some of the characters.
func verbatim(text string) []sdk.ToolCallContent {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return []sdk.ToolCallContent{sdk.ToolContent(sdk.TextBlock(fence + "\n" + text + "\n" + fence))}
}

// notice is a message to the person in the editor. It is a paragraph of its own in
// what the agent says there, which the agent's model does not read.
func notice(session, text string) sdk.SessionNotification {
	return sdk.SessionNotification{
		SessionId: sdk.SessionId(session),
		Update:    sdk.UpdateAgentMessageText("\n\nsayso: " + text + "\n\n"),
	}
}
