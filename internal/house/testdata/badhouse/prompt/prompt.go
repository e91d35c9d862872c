// Package prompt asks for a room that does not exist.
package prompt

import _ "github.com/saysohq/sayso/cellar" // want room
