// Package safetext looks into the cellar next door.
package safetext

import _ "github.com/saysohq/sayso/internal/strictjson" // want sideways
