package sayso_test

import (
	_ "github.com/saysohq/sayso/app/surface/tui" // want upward
	_ "github.com/saysohq/sayso/dialect"
)
