//go:build race

package hub_test

// slack is how much more a waiter may cost: the race detector needs deeper stacks.
const slack = 2
