package cli

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/saysohq/sayso/app/console"
	"github.com/saysohq/sayso/app/testenv"
)

// What scripts and settings files name stays: commands, flags, settings, environment variables,
// places of files, exit codes and the fields that --json prints.
func TestStableCommandLine(t *testing.T) {
	t.Parallel()
	var have []string
	fact := func(format string, args ...any) { have = append(have, fmt.Sprintf(format, args...)) }
	root := (&program{World: System()}).root()
	for _, cmd := range everyCommand(root) {
		fact("command %s", cmd.CommandPath())
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			setting := slices.ContainsFunc(options(), func(o option) bool { return o.name == f.Name })
			if (!f.Hidden || setting) && f.Name != "help" { // the help leaves out settings that few need
				fact("flag %s --%s", cmd.CommandPath(), f.Name)
			}
		})
	}
	for _, o := range options() {
		fact("setting %s", o.name)
		fact("variable %s", o.variable())
	}
	for _, row := range variablesTable().rows {
		for _, m := range regexp.MustCompile("`([A-Z_]+)[=`]").FindAllStringSubmatch(row[0], -1) {
			fact("variable %s", m[1])
		}
	}
	for _, row := range filesTable().rows {
		if row[0] != "questions and answers" { // how they are stored is not for others to read
			fact("file of the %s: %s", row[0], row[1])
		}
	}
	for name, code := range map[string]int{
		"answered or done": console.ExitAnswered, "fault": console.ExitFault, "wrong usage": console.ExitUsage, "nobody can be asked": console.ExitUnreachable,
		"declined": console.ExitDeclined, "expired": console.ExitExpired, "still open": console.ExitLater, "interrupted": console.ExitInterrupted,
	} {
		fact("exit code %d %s", code, name)
	}
	for name, v := range map[string]any{"ask": resultJSON{}, "show": ticketJSON{}, "keys": keyJSON{}, "doctor": finding{}, "version": console.Build{}} {
		fields(reflect.TypeOf(v), "json of sayso "+name+": ", fact)
	}
	slices.Sort(have)
	testenv.OnlyGrows(t, "testdata/stable/v0.1.txt", slices.Compact(have), *update)
}

// fields lists the fields of a type as JSON has them.
func fields(t reflect.Type, name string, fact func(string, ...any)) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.PkgPath() == "time" || strings.Count(name, ".") > 4 {
		return
	}
	for f := range t.Fields() {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && tag == "":
			fields(f.Type, name, fact)
		case tag == "-" || tag == "":
		default:
			fact("%s.%s %s", name, tag, kindOf(f.Type))
			fields(f.Type, name+"."+tag, fact)
		}
	}
}

func kindOf(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		return kindOf(t.Elem())
	}
	switch t.String() {
	case "time.Time":
		return "time"
	case "json.RawMessage":
		return "value"
	}
	switch t.Kind() {
	case reflect.Slice:
		return "array of " + kindOf(t.Elem())
	case reflect.Struct, reflect.Map:
		return "object"
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64, reflect.Uint8:
		return "number"
	case reflect.Bool:
		return "boolean"
	}
	return t.Kind().String()
}
