//go:build !race

package stats

const many = 100_000
