// Package strictjson is in order.
package strictjson

import _ "encoding/json"
