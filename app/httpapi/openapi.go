package httpapi

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
	"github.com/saysohq/sayso/hub"
)

// OpenAPI returns the description of the API, OpenAPI 3.1 in JSON. It is made of
// the table of routes and of the types of their bodies.
func OpenAPI() ([]byte, error) {
	doc, _ := describe(routes())
	b, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("httpapi: encoding the description: %w", err)
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
	problemSchema := schemaOf(api.Problem{})
	for _, rt := range table {
		op := &huma.Operation{
			Method: rt.method, Path: rt.path, OperationID: rt.id, Summary: rt.summary, Description: rt.about,
			Responses: map[string]*huma.Response{}, Tags: []string{rt.tag()},
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
				Content:  map[string]*huma.MediaType{"application/json": {Schema: schemas[rt.id], Example: example(rt.body, 0)}},
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
				switch {
				case media == "text/event-stream":
					content.Schema, content.Example = schemaOf(ok.body), exampleStream(ok.body)
				case ok.body != nil:
					content.Schema, content.Example = schemaOf(ok.body), example(ok.body, ok.status)
				default:
					content.Example = exampleTexts[rt.id]
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

// tag groups the operations of a kind.
func (rt *route) tag() string {
	switch parts := strings.Split(rt.path, "/"); parts[1] {
	case "v1":
		return parts[2]
	case "conversations":
		return parts[1]
	}
	return "service"
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
			if about, ok := api.FieldDocs[name+"."+field]; ok {
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
		for field, p := range s.Properties {
			values, ok := enums[name+"."+field]
			if !ok {
				values, ok = enums[field]
			}
			if !ok || p.Type != huma.TypeString || p.Enum != nil {
				continue
			}
			for _, v := range values {
				p.Enum = append(p.Enum, v)
			}
		}
		s.PrecomputeMessages()
	}
}

// enums are the values of fields: of one type, or of every type that has the field.
var enums = map[string][]string{
	"status":            statuses()[1:],
	"CallResult.status": append(statuses()[1:], string(api.StatusRefused)),
	"Ask.kind":          {string(sayso.AskQuestions), string(sayso.AskApproval)},
	"Approval.kind":     approvalKinds(),
	"Part.format":       {string(sayso.PartCommand), string(sayso.PartDiff), string(sayso.PartText), string(sayso.PartJSON), string(sayso.PartMarkdown)},
	"FileChange.op":     {string(sayso.FileAdd), string(sayso.FileUpdate), string(sayso.FileDelete)},
	"Offer.act":         {string(sayso.ActAllow), string(sayso.ActDeny)},
	"Offer.scope":       {string(sayso.ScopeOnce), string(sayso.ScopeSession), string(sayso.ScopeAlways)},
	"Question.kind":     {string(sayso.KindText), string(sayso.KindChoice), string(sayso.KindChoices)},
	"Responder.kind": {
		string(sayso.ByPerson), string(sayso.ByProgram), string(sayso.ByPolicy), string(sayso.ByAgent), string(sayso.ByAsker),
	},
	"why":        {string(hub.Undone), string(hub.Amended), string(hub.Late)},
	"unanswered": {string(sayso.ReasonSkipped), string(sayso.ReasonDismissed), string(sayso.ReasonRepliedInChat)},
}

func approvalKinds() (all []string) {
	for _, k := range sayso.ApprovalKinds() {
		all = append(all, string(k))
	}
	return all
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
