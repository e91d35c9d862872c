package hub // want doc

import _ "github.com/saysohq/sayso/hub/hubtest" // want upward
