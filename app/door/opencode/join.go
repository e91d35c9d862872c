package opencode

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// How often a message is read until it has the input of a call.
const (
	joins    = 40
	joinWait = 100 * time.Millisecond
)

// join finds the tool call of a request, which stands in a message.
func (d *door) join(ctx context.Context, dir string, p *data) (*message, *part, error) {
	path := "/session/" + url.PathEscape(p.Session) + "/message/" + url.PathEscape(p.Tool.Message)
	for i := 0; ; i++ {
		var m message
		status, raw, err := d.call(ctx, dir, http.MethodGet, path, nil)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("opencode: GET %s: status %d", path, status)
		}
		if err == nil {
			err = json.Unmarshal(raw, &m)
		}
		if err != nil {
			return nil, nil, err
		}
		call, err := m.call(p.Tool.Call)
		if err == nil || i == joins {
			return &m, call, err
		}
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(joinWait):
		}
	}
}

// dirOf returns the folder of a session, if that is known.
func (d *door) dirOf(id, otherwise string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s, ok := d.sessions[id]; ok {
		return s.dir
	}
	return otherwise
}

// session returns where a session belongs. A sub-agent has one of its own, below that of
// the person. What cannot be found out is taken for a person's session.
func (d *door) session(ctx context.Context, dir, id string) session {
	d.mu.Lock()
	s, ok := d.sessions[id]
	d.mu.Unlock()
	if ok {
		return s
	}
	s = session{root: id, dir: dir}
	for at, levels := id, 0; at != "" && levels < 8; levels++ {
		status, raw, err := d.call(ctx, dir, http.MethodGet, "/session/"+url.PathEscape(at), nil)
		var info struct {
			Parent    string `json:"parentID"`
			Directory string `json:"directory"`
		}
		if err != nil || status != http.StatusOK || json.Unmarshal(raw, &info) != nil || len(info.Parent) > maxName {
			return s // asked again the next time
		}
		if at == id && info.Directory != "" {
			s.dir = info.Directory
		}
		s.root, at = at, info.Parent
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.sessions) > maxKnown {
		clear(d.sessions)
	}
	d.sessions[id] = s
	return s
}
