// Package hub_test may look up: it stands outside. Its comment is not hub's.
package hub_test

import _ "github.com/saysohq/sayso/hub/hubtest"
