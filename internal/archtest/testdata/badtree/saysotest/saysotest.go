// Package saysotest is in order.
package saysotest

import _ "github.com/saysohq/sayso"
