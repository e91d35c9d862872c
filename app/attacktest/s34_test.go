package attacktest

import "github.com/saysohq/sayso/app/mutanttest"

// s34 are the guards of TestS34, each turned off.
var s34 []mutanttest.Mutant
