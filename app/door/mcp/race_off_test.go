//go:build !race

package mcp_test

// attacks is how many handles are tried.
const attacks = 10_000
