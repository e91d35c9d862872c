package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/hub"
)

// OpenAPI returns the description of the API, OpenAPI 3.1 in JSON. It is made of
// the table of routes and of the types of their bodies.
func OpenAPI() ([]byte, error) {
	doc, _ := describe(routes())
	b, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("httpapi: spelling the description: %w", err)
	}
	return append(b, '\n'), nil
}

// describe returns the description, and the schema of each route's body.
func describe(table []route) (*huma.OpenAPI, map[string]*huma.Schema) {
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "sayso", Version: "1",
			Description: "Ask people on behalf of agents, and answer. Errors are problem details (RFC 9457).",
		},
		Components: &huma.Components{
			Schemas: registry,
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"key": {Type: "http", Scheme: "bearer", Description: "A hub key, sayso_<role>_<id>_<secret>. On a local Unix socket none is needed."},
			},
		},
		Security: []map[string][]string{{"key": {}}},
	}
	schemas := map[string]*huma.Schema{}
	schemaOf := func(v any) *huma.Schema { return registry.Schema(reflect.TypeOf(v), true, "") }
	problemSchema := schemaOf(Problem{})
	for _, rt := range table {
		op := &huma.Operation{
			Method: rt.method, Path: rt.path, OperationID: rt.id, Summary: rt.summary, Description: rt.about,
			Responses: map[string]*huma.Response{},
		}
		if rt.rule.public {
			op.Security = []map[string][]string{{}}
		} else {
			op.Extensions = map[string]any{"x-roles": rt.rule.roles.String()}
		}
		for _, p := range rt.params {
			op.Parameters = append(op.Parameters, p.describe())
		}
		if rt.body != nil {
			schemas[rt.id] = schemaOf(rt.body)
			op.RequestBody = &huma.RequestBody{
				Required: !rt.bodyOptional,
				Content:  map[string]*huma.MediaType{"application/json": {Schema: schemas[rt.id]}},
			}
		}
		for _, ok := range rt.ok {
			r := &huma.Response{Description: ok.about}
			media := ok.media
			if media == "" && ok.body != nil {
				media = "application/json"
			}
			if media != "" {
				content := &huma.MediaType{}
				if ok.body != nil {
					content.Schema = schemaOf(ok.body)
				}
				r.Content = map[string]*huma.MediaType{media: content}
			}
			op.Responses[strconv.Itoa(ok.status)] = r
		}
		describeProblems(op, rt, problemSchema)
		doc.AddOperation(op)
	}
	finish(registry, schemas)
	return doc, schemas
}

// describeProblems lists the kinds of problems under their status.
func describeProblems(op *huma.Operation, rt route, schema *huma.Schema) {
	all := []kind{internal}
	if !rt.rule.public {
		all = append(all, unauthenticated, notAllowed, crossOrigin, wrongHost, tooMany)
	}
	for _, k := range append(all, rt.problems...) {
		status := strconv.Itoa(k.status)
		if r := op.Responses[status]; r != nil {
			r.Description += " `" + k.name + "`: " + k.title + "."
			continue
		}
		op.Responses[status] = &huma.Response{
			Description: "`" + k.name + "`: " + k.title + ".",
			Content:     map[string]*huma.MediaType{"application/problem+json": {Schema: schema}},
		}
	}
}

func (p param) describe() *huma.Param {
	s := &huma.Schema{Type: huma.TypeString}
	if p.number {
		s = &huma.Schema{Type: huma.TypeInteger}
	}
	for _, v := range p.values {
		s.Enum = append(s.Enum, v)
	}
	if p.list {
		s = &huma.Schema{Type: huma.TypeArray, Items: s}
	}
	return &huma.Param{In: p.in, Name: p.name, Description: p.about, Required: p.in == "path", Schema: s}
}

// finish says about the fields of foreign types what their tags do not, and lets
// an asker leave out what the server fills in.
func finish(registry huma.Registry, bodies map[string]*huma.Schema) {
	taken := map[*huma.Schema]bool{} // what a request may hold is known to the last field
	for _, s := range bodies {
		reach(registry, s, taken)
	}
	for name, s := range registry.Map() {
		if !taken[s] {
			s.AdditionalProperties = nil // answers may grow
		}
		for field, p := range s.Properties {
			if about, ok := fields[name+"."+field]; ok {
				p.Description = about
			}
			if p.Type == huma.TypeArray {
				p.Nullable = false
			}
		}
		switch name {
		case "Ask", "Question", "Option":
			s.Required = slices.DeleteFunc(s.Required, func(field string) bool { return field == "id" })
		}
		for field, values := range map[string][]string{"status": statuses()[1:], "kind": {
			string(sayso.ByPerson), string(sayso.ByPolicy), string(sayso.ByAgent), string(sayso.ByAsker),
		}, "why": {string(hub.Undone), string(hub.Amended), string(hub.Late)}, "unanswered": {
			string(sayso.ReasonSkipped), string(sayso.ReasonDismissed), string(sayso.ReasonRepliedInChat),
		}} {
			p := s.Properties[field]
			if p == nil || p.Type != huma.TypeString || p.Enum != nil {
				continue
			}
			for _, v := range values {
				p.Enum = append(p.Enum, v)
			}
		}
		s.PrecomputeMessages()
	}
}

func reach(registry huma.Registry, s *huma.Schema, seen map[*huma.Schema]bool) {
	if s.Ref != "" {
		s = registry.SchemaFromRef(s.Ref)
	}
	if seen[s] {
		return
	}
	seen[s] = true
	if s.Items != nil {
		reach(registry, s.Items, seen)
	}
	for _, p := range s.Properties {
		reach(registry, p, seen)
	}
}

// fields describes the fields of the library's own words.
var fields = map[string]string{
	"Ask.id":           "The asker's own name for the ask, at most 128 bytes; the same id again is the same ask. Default: derived from conversation, tool call and questions, or a new one.",
	"Ask.questions":    "1 to 20 questions that belong together.",
	"Ask.origin":       "Where the ask comes from, told by the host.",
	"Ask.to":           "Who may answer. Default: everybody who may answer in this tenant.",
	"Ask.dialect":      "The dialect that the call was spelled in.",
	"Ask.metadata":     "The asker's own; kept and handed back, shown to nobody.",
	"Ask.askedAt":      "Set by the server.",
	"Ask.deadline":     "When the ask expires. Default: never.",
	"Ask.onExpiry":     "What the asker declares for the case that the deadline passes.",
	"Ask.minAssurance": "How sure the hub must be of who answers: 0 the same user on the same machine, 1 a key, 2 a login, 3 a passkey.",

	"Origin.conversation": "The conversation, session or thread, at most 128 bytes.",
	"Origin.toolCall":     "The tool call's id, unique in the conversation.",
	"Origin.agents":       "Who asks, top agent first.",
	"Origin.host":         "The program.",
	"Origin.workspace":    "Where it works.",
	"Origin.branch":       "What it works on.",
	"Origin.asker":        "Whose credential the ask came with. Set by the server.",

	"Expiry.default": "Reported, with the status expired and never as a person's answer, when the deadline passes.",

	"Question.id":        "Unique in the ask. Default: q1, q2 …",
	"Question.header":    "A short name, for a tab or a chip.",
	"Question.text":      "The question itself.",
	"Question.body":      "Markdown shown with the question.",
	"Question.options":   "The choices; none for a question that is answered in words.",
	"Question.multi":     "Whether several options may be chosen.",
	"Question.secret":    "The answer is shown to nobody but the asker.",
	"Question.rawHeader": "The header as the asker wrote it, where it had to be changed to be shown.",
	"Question.rawText":   "The text as the asker wrote it, where it had to be changed to be shown.",

	"Option.id":          "Unique in the question. Default: o1, o2 …",
	"Option.label":       "The choice, in a few words.",
	"Option.description": "What it means.",
	"Option.preview":     "Markdown or code shown while the option is highlighted.",
	"Option.recommended": "Shown as a tag; never chosen for the person.",
	"Option.danger":      "No single stray key chooses it.",
	"Option.rawLabel":    "The label as the asker wrote it, where it had to be changed to be shown.",

	"Answer.questionId": "The question.",
	"Answer.selected":   "The ids of the options that were chosen.",
	"Answer.other":      "Own words, beside or instead of options.",
	"Answer.note":       "A remark on the choice.",
	"Answer.unanswered": "Why there is no answer; absent when there is one.",

	"Outcome.status":  "What became of the ask. Only answered means that somebody decided something.",
	"Outcome.answers": "The answers.",
	"Outcome.reply":   "A reply to the whole form instead of answers.",
	"Outcome.by":      "Who closed the ask.",
	"Outcome.at":      "When.",
	"Outcome.reason":  "In words, for every status but answered.",

	"Responder.kind":      "What kind of party.",
	"Responder.id":        "The person, policy or agent.",
	"Responder.surface":   "Where: terminal, web, slack.",
	"Responder.assurance": "How the person was known: 0 the same user on the same machine, 1 a key, 2 a login, 3 a passkey.",

	"Ticket.address":  "The whole place of the ask.",
	"Ticket.ask":      "The ask.",
	"Ticket.digest":   "SHA-256, in hex, of the questions as they are shown. An answer names it.",
	"Ticket.outcome":  "What became of the ask; absent while it is open.",
	"Ticket.nonce":    "Names the close that won.",
	"Ticket.consumed": "When the asker said that it has an outcome.",
	"Ticket.touched":  "When somebody began to answer, if the asker declared a default: it no longer stands in.",
	"Ticket.history":  "Outcomes that were taken back or replaced, and answers that came too late.",
	"Ticket.revision": "Grows with every change of the ticket. Of two tickets the one with the higher revision is newer.",
	"Ticket.replayed": "What was wanted had been done before.",

	"Address.tenant":       "Whose it is.",
	"Address.person":       "The one inbox in which it waits; empty: the shared one.",
	"Address.conversation": "The conversation.",
	"Address.id":           "The asker's name for the ask.",

	"Entry.outcome": "The outcome that does not count, or no longer.",
	"Entry.why":     "Why not.",
	"Entry.at":      "When it stopped counting, or came.",
	"Entry.nonce":   "Names the close.",

	"Draft.answers": "What the person has chosen and typed.",
	"Draft.reply":   "What the person has typed as a reply to the whole form.",
	"Draft.savedAt": "When.",
}

func (s *Server) openapi(c *call) error {
	c.w.Header().Set("Content-Type", "application/json")
	c.w.WriteHeader(http.StatusOK)
	c.w.Write(s.description)
	return nil
}
