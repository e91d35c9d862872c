// Package runner is a leaf: everything below is open to it but one thing.
package runner

import (
	_ "charm.land/fantasy"
	_ "github.com/saysohq/sayso/app/engine/natsstore"
	_ "github.com/saysohq/sayso/conversation"
	_ "github.com/saysohq/sayso/internal/strictjson" // want internal
)
