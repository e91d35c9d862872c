package attacktest

import "github.com/saysohq/sayso/app/mutanttest"

// s37 are the guards of TestS37, each turned off.
var s37 []mutanttest.Mutant
