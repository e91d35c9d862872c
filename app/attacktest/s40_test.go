package attacktest

import "github.com/saysohq/sayso/app/mutanttest"

// s40 are the guards of TestS40, each turned off.
var s40 []mutanttest.Mutant
