package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/dialect/schema"
	"github.com/saysohq/sayso/hub"
)

const pastDescription = `Look up what the people you work for decided before in this workspace, before you ask something that may have been decided already. You get earlier questions with their answers, who gave them and when. They answer those questions, not yours: follow them where they fit, and ask with ask_user where they do not. If nothing is found, nothing was decided: ask.`

var pastSchema = schema.Object(
	schema.Required("query", schema.Text("What it is about, in a few words, such as: database of the user service")),
	schema.Optional("limit", schema.New("How many decisions you want at most; 5 by default", "integer").With("minimum", 1).With("maximum", mostPast)),
).JSON()

const (
	mostPast = 20
	longPast = 1200 // characters of one decision that the model reads
	allPast  = 8000 // and of all of them
)

// past looks up earlier decisions. The workspace is the one that the agent works in,
// as the program that started it says: what the model says does not change it.
func (c *call) past(ctx context.Context) (*sdk.CallToolResult, error) {
	ask := toolAsk
	if renames(c.client) {
		ask = otherAsk
	}
	args, err := c.arguments()
	if err != nil {
		return refused("The arguments cannot be read: " + err.Error()), nil
	}
	query, _ := args["query"].(string)
	if sayso.Blank(query) {
		return refused("Say in a few words what the decisions should be about: query."), nil
	}
	limit := 5
	if n, ok := args["limit"].(float64); ok {
		limit = int(min(max(n, 1), mostPast))
	}
	workspace := c.origin.Workspace
	if workspace == "" {
		return say("It is not known which workspace this is, so earlier decisions cannot be looked up. Ask with " + ask + "."), nil
	}
	found, err := hub.Recall(ctx, c.hub, &hub.Decisions{Workspace: workspace, Text: cut(query, 400), Limit: limit})
	switch {
	case errors.Is(err, errors.ErrUnsupported), errors.Is(err, hub.ErrNotFound): // a hub of an earlier version
		return say("This hub cannot look up earlier decisions. Ask with " + ask + "."), nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return refused(fmt.Sprintf("Earlier decisions cannot be looked up now: %v. Nothing is known about them: ask with %s.", err, ask)), nil
	}
	return say(pastText(found, workspace, ask)), nil
}

// pastText words decisions for the model.
func pastText(found []*hub.Ticket, workspace, ask string) string {
	place := "the workspace " + cut(sayso.SafeLine(workspace), 100)
	if len(found) == 0 {
		return "Nothing was found about this in " + place + ". That is not an answer: ask with " + ask + "."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Decided before in %s. These are answers to the questions below, not to yours: follow them where they fit, and ask with %s where they do not.", place, ask)
	told := 0
	for _, t := range found {
		r, err := tool.Finish(t.Ask, t.Outcome)
		if err != nil {
			continue
		}
		text := fmt.Sprintf("\n\n%d. %s, %s:\n%s", told+1, decidedAt(t), decidedBy(t.Outcome.By), indented(shorter(r.Text, longPast)))
		if utf8.RuneCountInString(b.String())+utf8.RuneCountInString(text) > allPast {
			break
		}
		b.WriteString(text)
		told++
	}
	if left := len(found) - told; left > 0 {
		fmt.Fprintf(&b, "\n\n%d more are left out. Look for something narrower.", left)
	}
	return b.String()
}

func decidedAt(t *hub.Ticket) string { return t.Outcome.At.UTC().Format("2006-01-02") }

// decidedBy says who answered, as far as the hub knows it.
func decidedBy(by sayso.Responder) string {
	switch name := cut(sayso.SafeLine(by.ID), 64); {
	case by.Kind != sayso.ByPerson:
		return "answered in a program's own dialog"
	case name == "":
		return "answered by the person"
	default:
		return "answered by " + name
	}
}

// indented keeps a line of a question from passing for the head of another decision.
func indented(s string) string { return "   " + strings.ReplaceAll(s, "\n", "\n   ") }

// shorter cuts a text at the end of a line or word, and says so.
func shorter(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	s = string([]rune(s)[:most])
	if at := strings.LastIndexAny(s, " \n"); at > len(s)/2 {
		s = s[:at]
	}
	return s + " […]"
}
