package attacktest

import "github.com/saysohq/sayso/app/mutanttest"

// s41 are the guards of TestS41, each turned off.
var s41 []mutanttest.Mutant
