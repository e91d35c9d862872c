// Package hubtest is in order.
package hubtest

import (
	_ "github.com/saysohq/sayso/hub"
	_ "testing"
	"time"
)

var start = time.Now()
