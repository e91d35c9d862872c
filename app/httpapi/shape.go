package httpapi

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/saysohq/sayso"
)

// shape is how a value of a body is read: what its schema and its Go type say. It
// is made once for each route.
//
// A shape takes what is plainly right. What it does not take is not wrong for that:
// it is read again by the rules of the schema, which also say what is wrong. A schema
// with a rule that shapes do not know has none, so it is always read that way.
type shape struct {
	kind               string // of JSON; "": anything, kept as it was written
	typ                reflect.Type
	minLength, longest int // of a string, in runes
	mostItems          int
	least, most        *float64
	enum               []string
	item               *shape // of an array, or of a map
	fields             map[string]*shapeField
	required           []string
}

type shapeField struct {
	*shape
	index int
}

const noBound = 1 << 30

// maxShared is how large a body may be whose strings are kept as parts of it: a
// short string does not keep a large body in memory.
const maxShared = 4 << 10

// shapeRules are the fields of a schema that shapes know, and those that are no rules.
var shapeRules = []string{
	"Type", "Nullable", "Format", "Items", "AdditionalProperties", "Properties", "Enum", "Minimum", "Maximum", "MinLength", "MaxLength", "MaxItems", "Required",
	"Title", "Description", "Default", "Examples", "Deprecated",
}

var (
	timeType = reflect.TypeFor[time.Time]()
	rawType  = reflect.TypeFor[json.RawMessage]()
)

// shapeOf returns the shape of a schema and a type, or nil if there is none.
func shapeOf(registry huma.Registry, s *huma.Schema, typ reflect.Type) *shape {
	for s.Ref != "" {
		s = registry.SchemaFromRef(s.Ref)
	}
	for i := range reflect.TypeFor[huma.Schema]().NumField() {
		f, v := reflect.TypeFor[huma.Schema]().Field(i), reflect.ValueOf(s).Elem().Field(i)
		if f.IsExported() && !slices.Contains(shapeRules, f.Name) && !v.IsZero() && (v.Kind() != reflect.Map || v.Len() > 0) {
			return nil
		}
	}
	sh := &shape{kind: s.Type, typ: typ, longest: noBound, mostItems: noBound, least: s.Minimum, most: s.Maximum, required: s.Required}
	if s.MinLength != nil {
		sh.minLength = *s.MinLength
	}
	if s.MaxLength != nil {
		sh.longest = *s.MaxLength
	}
	if s.MaxItems != nil {
		sh.mostItems = *s.MaxItems
	}
	for _, v := range s.Enum {
		text, ok := v.(string)
		if !ok {
			return nil
		}
		sh.enum = append(sh.enum, text)
	}
	if !sh.fits(registry, s) {
		return nil
	}
	return sh
}

// fits completes the shape of an array or an object, and reports whether its type is
// one that read knows.
func (sh *shape) fits(registry huma.Registry, s *huma.Schema) bool {
	switch kind := sh.typ.Kind(); s.Type {
	case "":
		return sh.typ == rawType
	case huma.TypeString:
		return kind == reflect.String && s.Format == "" || sh.typ == timeType && s.Format == "date-time"
	case huma.TypeBoolean:
		return kind == reflect.Bool
	case huma.TypeInteger:
		return reflect.Zero(sh.typ).CanInt() || reflect.Zero(sh.typ).CanUint()
	case huma.TypeArray:
		if kind != reflect.Slice {
			return false
		}
		sh.item = shapeOf(registry, s.Items, sh.typ.Elem())
		return sh.item != nil
	case huma.TypeObject:
		switch {
		case sh.typ == reflect.TypeFor[map[string]any]():
			return true
		case sh.typ == reflect.TypeFor[map[string]string]():
			values, ok := s.AdditionalProperties.(*huma.Schema)
			if ok {
				sh.item = shapeOf(registry, values, sh.typ.Elem())
			}
			return sh.item != nil
		case kind == reflect.Struct:
			return sh.fitsStruct(registry, s)
		}
	}
	return false
}

func (sh *shape) fitsStruct(registry huma.Registry, s *huma.Schema) bool {
	sh.fields = map[string]*shapeField{}
	for i := range sh.typ.NumField() {
		f := sh.typ.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || !f.IsExported() {
			return false
		}
		if name == "-" {
			continue
		}
		p := s.Properties[name]
		if p == nil {
			return false
		}
		if f.Type.Kind() == reflect.Pointer { // an approval: an ask that has one is read by the schema
			sh.fields[name] = &shapeField{nil, i}
			continue
		}
		field := shapeOf(registry, p, f.Type)
		if field == nil {
			return false
		}
		sh.fields[name] = &shapeField{field, i}
	}
	return len(sh.fields) == len(s.Properties)
}

// read puts the value into v, which is zero, and reports whether it is plainly right.
func (sh *shape) read(j sayso.JSON, v reflect.Value, share bool) bool {
	switch kind := j.Kind(); {
	case sh.kind != "" && kind != sh.kind && (sh.kind != huma.TypeInteger || kind != huma.TypeNumber):
		return false
	case sh.kind == "":
		v.SetBytes([]byte(j.Raw()))
		return true
	case kind == huma.TypeString:
		return sh.readString(j, v, share)
	case kind == huma.TypeBoolean:
		v.SetBool(j.Bool())
		return true
	case kind == huma.TypeNumber:
		return sh.readInteger(j.Raw(), v)
	case kind == huma.TypeArray:
		return sh.readArray(j, v, share)
	}
	return sh.readObject(j, v, share)
}

func (sh *shape) readString(j sayso.JSON, v reflect.Value, share bool) bool {
	s := j.Str()
	if sh.typ == timeType {
		t := v.Addr().Interface().(*time.Time)
		_, err := time.Parse(time.RFC3339, s)
		return err == nil && t.UnmarshalJSON([]byte(j.Raw())) == nil
	}
	if len(s) > sh.longest && utf8.RuneCountInString(s) > sh.longest || sh.minLength > 0 && utf8.RuneCountInString(s) < sh.minLength {
		return false
	}
	if sh.enum != nil && !slices.Contains(sh.enum, s) {
		return false
	}
	if !share {
		s = strings.Clone(s)
	}
	v.SetString(s)
	return true
}

func (sh *shape) readInteger(raw string, v reflect.Value) bool {
	var f float64
	if v.CanInt() {
		n, err := strconv.ParseInt(raw, 10, 64)
		if err != nil || v.OverflowInt(n) {
			return false
		}
		v.SetInt(n)
		f = float64(n)
	} else {
		n, err := strconv.ParseUint(raw, 10, 64)
		if err != nil || v.OverflowUint(n) {
			return false
		}
		v.SetUint(n)
		f = float64(n)
	}
	return (sh.least == nil || f >= *sh.least) && (sh.most == nil || f <= *sh.most)
}

func (sh *shape) readArray(j sayso.JSON, v reflect.Value, share bool) bool {
	n := j.Len()
	if n > sh.mostItems {
		return false
	}
	v.Set(reflect.MakeSlice(sh.typ, n, n))
	for i := range n {
		if !sh.item.read(j.Index(i), v.Index(i), share) {
			return false
		}
	}
	return true
}

func (sh *shape) readObject(j sayso.JSON, v reflect.Value, share bool) bool {
	n := j.Len()
	switch {
	case sh.fields == nil && sh.item == nil: // any values
		v.Set(reflect.ValueOf(j.Any()))
		return true
	case sh.fields == nil:
		m := make(map[string]string, n)
		value := reflect.New(sh.item.typ).Elem()
		for i := range n {
			if !sh.item.read(j.Index(i), value, share) {
				return false
			}
			m[strings.Clone(j.Name(i))] = value.String()
		}
		v.Set(reflect.ValueOf(m))
		return true
	}
	found := 0
	for i := range n {
		name := j.Name(i)
		f := sh.fields[name]
		if f == nil || f.shape == nil || !f.read(j.Index(i), v.Field(f.index), share) {
			return false
		}
		if slices.Contains(sh.required, name) {
			found++
		}
	}
	return found == len(sh.required) // no name comes twice
}
