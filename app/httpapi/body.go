package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/saysohq/sayso"
	"github.com/saysohq/sayso/api"
)

const maxBody = 1 << 20

// raw reads the body. One that may be missing is nil then.
func (c *call) raw() ([]byte, error) {
	media, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	none := c.r.ContentLength == 0 && c.route.bodyOptional
	encoded := c.r.Header.Get("Content-Encoding") != ""
	charset := params["charset"]
	if !none && (err != nil || media != "application/json" || encoded || charset != "" && !strings.EqualFold(charset, "utf-8")) {
		return nil, badMediaType.problem("")
	}
	data, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxBody))
	if err == nil { // it is all there, so the client may now be silent for as long as it waits
		http.NewResponseController(c.w).SetReadDeadline(time.Time{})
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, tooLarge.problemf("Send at most %d bytes.", maxBody)
	case err != nil:
		return nil, badRequest.problem("The connection ended before the whole body arrived.")
	case len(data) == 0 && c.route.bodyOptional:
		return nil, nil
	}
	c.size = len(data)
	return data, nil
}

// decode reads the body into v, which is of the type that the route names.
func (c *call) decode(v any) error {
	data, err := c.raw()
	if err != nil || data == nil {
		return err
	}
	return c.s.decode(c.body, data, v)
}

// body is how the body of a route is read.
type body struct {
	schema *huma.Schema
	shape  *shape // nil: only by the schema
}

// bodiesOf returns how the bodies of the routes are read, by the ids of the routes.
func bodiesOf(table []route, registry huma.Registry, schemas map[string]*huma.Schema) map[string]body {
	bodies := map[string]body{}
	for _, rt := range table {
		if rt.body != nil {
			bodies[rt.id] = body{schemas[rt.id], shapeOf(registry, schemas[rt.id], reflect.TypeOf(rt.body))}
		}
	}
	return bodies
}

// decode reads JSON that every reader understands the same way into v, as the
// schema says: every name exactly as it is spelled there, nothing that is not
// there, everything within its bounds. What was sent is not repeated in the errors.
//
// The bytes are read once. Only what may be wrong is looked at again.
func (s *Server) decode(b body, data []byte, v any) error {
	read, err := sayso.ParseJSON(data)
	if err != nil {
		return badJSON.problem(err.Error())
	}
	into := reflect.ValueOf(v).Elem()
	if b.shape != nil && b.shape.read(read, into, len(data) <= maxShared) {
		return nil
	}
	into.SetZero()
	return s.decodeBySchema(b.schema, read.Any(), data, v)
}

// decodeBySchema is decode for what may be wrong, and says what is.
func (s *Server) decodeBySchema(schema *huma.Schema, tree any, data []byte, v any) error {
	p := invalid.problem("")
	p.Errors = s.unknown(schema, tree, "", nil)
	if len(p.Errors) == 0 {
		var res huma.ValidateResult
		huma.Validate(s.registry, schema, huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, tree, &res)
		for _, err := range res.Errors {
			var detail *huma.ErrorDetail
			if errors.As(err, &detail) {
				p.Errors = append(p.Errors, api.FieldProblem{Path: detail.Location, Message: detail.Message})
			}
		}
	}
	if len(p.Errors) > 0 {
		return p
	}
	if err := json.Unmarshal(data, v); err != nil {
		var typed *json.UnmarshalTypeError
		if errors.As(err, &typed) {
			p.Errors = []api.FieldProblem{{Path: typed.Field, Message: "cannot be a " + typed.Value}}
			return p
		}
		return badJSON.problem("")
	}
	return nil
}

// unknown lists the names that the schema does not have. Package json would take
// Answers, and ANſWERS, for answers.
func (s *Server) unknown(schema *huma.Schema, tree any, path string, found []api.FieldProblem) []api.FieldProblem {
	for schema.Ref != "" {
		schema = s.registry.SchemaFromRef(schema.Ref)
	}
	switch v := tree.(type) {
	case []any:
		if schema.Items == nil {
			return found
		}
		for i, item := range v {
			found = s.unknown(schema.Items, item, fmt.Sprintf("%s[%d]", path, i), found)
		}
	case map[string]any:
		if len(schema.Properties) == 0 {
			return found // a map, or anything
		}
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			at := strings.TrimPrefix(path+"."+name, ".")
			if p := schema.Properties[name]; p != nil {
				found = s.unknown(p, v[name], at, found)
			} else if len(found) < 20 {
				found = append(found, api.FieldProblem{Path: path, Message: fmt.Sprintf("has the unknown field %.60q", name)})
			}
		}
	}
	return found
}
