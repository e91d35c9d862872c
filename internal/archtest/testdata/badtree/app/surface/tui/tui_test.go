package tui_test

import (
	_ "github.com/saysohq/sayso/agent/runner" // want upward
	_ "github.com/saysohq/sayso/app/surface/web"
	_ "github.com/saysohq/sayso/internal/strictjson" // want internal
)
