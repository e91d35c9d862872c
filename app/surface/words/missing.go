package words

import (
	"reflect"
	"slices"
)

// Missing lists the words that a language lacks, for which English stands in, by
// the names of their fields.
func Missing(tag string) []string {
	var missing []string
	w := bare(tag)
	if w == nil {
		return nil
	}
	walk(reflect.ValueOf(w).Elem(), "", func(name string, v reflect.Value) {
		if v.IsZero() {
			missing = append(missing, name)
		}
	})
	slices.Sort(missing)
	return missing
}

// bare returns a catalogue without the words that stand in.
func bare(tag string) *Catalogue {
	switch tag {
	case "en":
		return English()
	case "de":
		return german()
	case "ar":
		return arabic()
	}
	return nil
}

// complete lets English stand in for what a language lacks.
func complete(w *Catalogue) *Catalogue {
	english := map[string]reflect.Value{}
	walk(reflect.ValueOf(English()).Elem(), "", func(name string, v reflect.Value) { english[name] = v })
	walk(reflect.ValueOf(w).Elem(), "", func(name string, v reflect.Value) {
		if v.IsZero() {
			v.Set(english[name])
		}
	})
	return w
}

// walk calls f with every word below a struct and its name: strings and plurals.
func walk(v reflect.Value, under string, f func(name string, v reflect.Value)) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name := under + field.Name
		if field.Anonymous {
			name = under
		}
		each(v.Field(i), name, field.Anonymous, f)
	}
}

func each(v reflect.Value, name string, embedded bool, f func(name string, v reflect.Value)) {
	switch {
	case v.Type() == reflect.TypeFor[Plural](), v.Kind() == reflect.String:
		f(name, v)
	case v.Kind() == reflect.Struct:
		if !embedded {
			name += "."
		}
		walk(v, name, f)
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			each(v.Index(i), name+"."+string(rune('a'+i)), false, f)
		}
	}
}

// Each calls f with every sentence of the catalogue, and its name.
func (w *Catalogue) Each(f func(name string, sentence *string)) {
	walk(reflect.ValueOf(w).Elem(), "", func(name string, v reflect.Value) {
		switch p := v.Addr().Interface().(type) {
		case *string:
			f(name, p)
		case *Plural:
			for _, form := range []struct {
				name     string
				sentence *string
			}{{"Zero", &p.Zero}, {"One", &p.One}, {"Two", &p.Two}, {"Few", &p.Few}, {"Many", &p.Many}, {"Other", &p.Other}} {
				if *form.sentence != "" {
					f(name+"."+form.name, form.sentence)
				}
			}
		}
	})
}
