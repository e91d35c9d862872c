//go:build race

package stats

const many = 5_000 // the race detector makes it ten times as slow
