package attacktest

import "github.com/saysohq/sayso/app/mutanttest"

// s36 are the guards of TestS36, each turned off.
var s36 []mutanttest.Mutant
