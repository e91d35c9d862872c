package main

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	for _, tt := range []struct {
		name  string
		args  []string
		typed string
		want  string // at the end of the output
		fails string
	}{
		{"answered", nil, "1\n1,3\ny\n", "The model reads (error: false):\nWhich auth method?\nOAuth (Recommended)\n\nWhich languages?\n- Go\n- Zig\n", ""},
		{"own words", nil, "other a magic link\nrust\ny\n", "Which auth method?\na magic link\n\nWhich languages?\n- Rust\n", ""},
		{"cancelled", nil, "/cancel\n", "The model reads (error: false):\n[cancelled by user]\n", ""},
		{"another dialect", []string{"-dialect", "opal", "-call", `{"question":"Which port?"}`}, "8080\n", "The model calls ask_user", ""},
		{"a call that is not valid", []string{"-call", `{"questions":[]}`}, "", "error: true", ""},
		{"no such dialect", []string{"-dialect", "klingon"}, "", "", `there is no dialect "klingon"; try one of acp, claude`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			err := run(tt.args, strings.NewReader(tt.typed), &out)
			if tt.fails == "" && err != nil || tt.fails != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.fails)) {
				t.Errorf("error %v", err)
			}
			if !strings.Contains(out.String(), tt.want) {
				t.Errorf("wrote\n%s", &out)
			}
		})
	}
}
