// Package shop is a root module for the tests of mutanttest.
package shop

// Gross adds the tax.
func Gross(net int) int {
	return net + net/5
}

// Discount takes something off what costs much.
func Discount(cents int) int {
	if cents > 1000 {
		return cents - 100
	}
	return cents
}

// Twice has the same line again.
func Twice(cents int) int {
	cents++
	cents++
	return cents
}
