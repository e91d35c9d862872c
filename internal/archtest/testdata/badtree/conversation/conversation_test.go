package conversation

import (
	_ "math/rand/v2"
	"time"
)

var began = time.Now()
