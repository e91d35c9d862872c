// Package tui reaches into the library's cellar.
package tui

import (
	_ "charm.land/bubbletea/v2"
	_ "github.com/saysohq/sayso/app/surface/tui/frame"
	_ "github.com/saysohq/sayso/app/surface/web" // want sideways
	_ "github.com/saysohq/sayso/hub"
	_ "github.com/saysohq/sayso/internal/safetext" // want internal
)
