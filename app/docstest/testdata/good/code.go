// Package code is what good.md shows.
package code

func shown() int {
	return 1
}

func other() (n int) {
	// begin part
	n = 2
	// end part
	return n + shown()
}
