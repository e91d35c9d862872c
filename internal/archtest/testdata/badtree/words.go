// Package sayso stands at the bottom and looks up.
package sayso

import (
	_ "github.com/saysohq/sayso/hub" // want upward
	_ "github.com/saysohq/sayso/internal/safetext"
	_ "github.com/saysohq/sayso/internal/strictjson"
)
