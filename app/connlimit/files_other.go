//go:build !unix

package connlimit

import "math"

// Files returns how many file descriptors this process may have open, and
// math.MaxInt32 where there is no limit, or none is known.
func Files() int { return math.MaxInt32 }

// Scarce reports whether an error of Accept says that there is no file descriptor
// left for a connection.
func Scarce(error) bool { return false }
