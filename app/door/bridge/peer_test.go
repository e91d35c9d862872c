package bridge_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/saysohq/sayso/app/door/bridge"
)

// TestServe has a plugin call, be called and hear an error, until it ends.
func TestServe(t *testing.T) {
	in, toServe := io.Pipe()
	fromServe, out := io.Pipe()
	heard := make(chan string, 1)
	done := make(chan error, 1)
	go func() {
		done <- bridge.Serve(t.Context(), in, out, func(ctx context.Context, p *bridge.Peer, method string, params json.RawMessage, wants bool) (any, error) {
			switch method {
			case "note":
				heard <- string(params)
				return nil, nil
			case "fail":
				return nil, errors.New("it cannot be done")
			}
			var up string
			err := p.Call(ctx, "upper", "abc", &up)
			return map[string]any{"up": up, "wants": wants}, err
		})
	}()
	lines := bufio.NewScanner(fromServe)
	next := func(want string) {
		t.Helper()
		if !lines.Scan() || lines.Text() != want {
			t.Errorf("heard %s, want %s", lines.Text(), want)
		}
	}
	io.WriteString(toServe, "\n{\"jsonrpc\":\"2.0\",\"method\":\"note\",\"params\":[1]}\n")
	if got := <-heard; got != "[1]" {
		t.Errorf("the note said %s", got)
	}
	io.WriteString(toServe, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ask\"}\n")
	next(`{"jsonrpc":"2.0","id":1,"method":"upper","params":"abc"}`)
	io.WriteString(toServe, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"ABC\"}\n")
	next(`{"jsonrpc":"2.0","id":7,"result":{"up":"ABC","wants":true}}`)
	io.WriteString(toServe, "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"fail\"}\n")
	next(`{"jsonrpc":"2.0","id":8,"error":{"code":-32000,"message":"it cannot be done"}}`)
	toServe.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// FuzzServe: whatever a plugin says, Serve comes to an end.
func FuzzServe(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
	f.Add(`{"id":1,"result":2}` + "\n" + `{"method":"x","params":{"a":1}}`)
	f.Fuzz(func(t *testing.T, in string) {
		bridge.Serve(t.Context(), strings.NewReader(in), io.Discard, func(context.Context, *bridge.Peer, string, json.RawMessage, bool) (any, error) {
			return "ok", nil
		})
	})
}
