package sayso

import (
	_ "github.com/saysohq/sayso/saysotest" // want upward
	_ "github.com/stretchr/testify/assert" // want third-party
	_ "testing"
)
