// Package safetext: placeholder until the real cleaner lands; delete this file then.
package safetext

import "strings"

func Block(s string) string { return s }
func Line(s string) string  { return s }
func Blank(s string) bool   { return strings.TrimSpace(s) == "" }
func Key(s string) string   { return s }
