package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// Hook is an entry for an event in settings of the form that Claude Code has, and
// others after it: {"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", …}]}]}}.
type Hook struct {
	Event string
	Entry any
}

// SetHooks makes our hooks below a path those that are wanted, which may be none. A
// hook that is ours by the function, but not wanted, is removed; all others stay.
func SetHooks(path []string, wanted []Hook, ours func(json.RawMessage) bool) JSONEdit {
	return func(d *document) error {
		events, err := d.object(path, false)
		if err != nil {
			return err
		}
		found := map[string]bool{}
		var names []string
		if events != nil {
			for _, m := range events.Members {
				names = append(names, m.Name.Value.(hujson.Literal).String())
			}
		}
		for _, event := range names {
			var entry []byte
			if i := slices.IndexFunc(wanted, func(h Hook) bool { return h.Event == event }); i >= 0 {
				if entry, err = encode(wanted[i].Entry); err != nil {
					return err
				}
			}
			if found[event], err = d.cleanHooks(append(slices.Clone(path), event), entry, ours); err != nil {
				return err
			}
		}
		for _, h := range wanted {
			if found[h.Event] {
				continue
			}
			if err := AppendJSON(append(slices.Clone(path), h.Event), h.Entry)(d); err != nil {
				return err
			}
		}
		return nil
	}
}

// cleanHooks removes our hooks of an event, except the first entry that is the wanted
// one, and reports whether that is there.
func (d *document) cleanHooks(path []string, wanted []byte, ours func(json.RawMessage) bool) (found bool, err error) {
	entries, err := d.list(path, false)
	if err != nil || entries == nil {
		return false, err
	}
	emptied := map[hujson.ValueTrimmed]bool{}
	for i, v := range entries.Elements {
		at := fmt.Sprintf("%s[%d]", name(path), i)
		entry, ok := v.Value.(*hujson.Object)
		if !ok {
			return false, fmt.Errorf("%s is not a JSON object", at)
		}
		if wanted != nil && !found && sameJSON(v, wanted) {
			found = true
			continue
		}
		m, err := (&object{Object: entry}).member("hooks")
		if err != nil {
			return false, err
		}
		if m == nil {
			continue
		}
		hooks, ok := m.Value.Value.(*hujson.Array)
		if !ok {
			return false, fmt.Errorf("%s.hooks is not a JSON list", at)
		}
		if (&list{Array: hooks}).removeElements(func(v hujson.Value) bool { return ours(standard(v)) }) {
			d.changed = true
			if len(hooks.Elements) == 0 {
				emptied[entry] = true
			}
		}
	}
	entries.removeElements(func(v hujson.Value) bool { return emptied[v.Value] })
	if len(emptied) > 0 && len(entries.Elements) == 0 && wanted == nil {
		err = RemoveJSON(0, path...)(d)
	}
	return found, err
}

// Member is a member of a JSON object.
type Member struct {
	Name  string
	Value any
}

// Ordered is a JSON object that is written in the order of its members.
type Ordered []Member

func (o Ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := encode(m.Name)
		if err != nil {
			return nil, err
		}
		value, err := encode(m.Value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// AddServer adds "sayso mcp" as an MCP server at a path of JSON settings, as an object
// with a command and a list of args, and more members. An entry that is there keeps
// its other members, and one that is the address of a server stays as it is.
func AddServer(text []byte, e *Env, path []string, more ...Member) ([]byte, error) {
	words := e.Words("mcp")
	want := append(Ordered(slices.Clone(more)), Member{"command", words[0]}, Member{"args", words[1:]})
	have := map[string]json.RawMessage{}
	there, err := GetJSON(text, &have, path...)
	if err != nil {
		return nil, err
	}
	if !there {
		return EditJSON(text, SetJSON(want, path...))
	}
	for _, address := range []string{"url", "httpUrl", "serverUrl"} {
		if have[address] != nil {
			return text, nil
		}
	}
	var edits []JSONEdit
	for _, m := range want {
		edits = append(edits, SetJSON(m.Value, append(slices.Clone(path), m.Name)...))
	}
	return EditJSON(text, edits...)
}

// RemoveServer removes what AddServer added.
func RemoveServer(text []byte, path ...string) ([]byte, error) {
	have := struct{ Args []string }{}
	there, err := GetJSON(text, &have, path...)
	if err != nil || !there || !slices.Contains(have.Args, "mcp") {
		return text, err
	}
	return EditJSON(text, RemoveJSON(0, path...))
}
