//go:build !race

package hub_test

const slack = 1
