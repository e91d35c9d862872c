package cli

import "flag"

var update = flag.Bool("update", false, "rewrite golden files and the generated parts of the reference")

// Updating reports whether golden files are to be rewritten.
func Updating() bool { return *update }
