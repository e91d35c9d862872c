// Package dialect leans over to its neighbour and into a stranger's code.
package dialect

import "C" // want third-party

import (
	_ "charm.land/fantasy" // want third-party
	_ "github.com/saysohq/sayso"
	_ "github.com/saysohq/sayso/dialect/wording"
	_ "github.com/saysohq/sayso/prompt" // want sideways
)
