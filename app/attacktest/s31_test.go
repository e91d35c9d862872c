package attacktest

import "github.com/saysohq/sayso/app/mutanttest"

// s31 are the guards of TestS31, each turned off.
var s31 []mutanttest.Mutant
