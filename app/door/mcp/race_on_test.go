//go:build race

package mcp_test

// attacks is how many handles are tried; the detector makes each ten times slower.
const attacks = 1000
