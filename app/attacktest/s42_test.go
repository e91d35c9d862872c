package attacktest

import "github.com/saysohq/sayso/app/mutanttest"

// s42 are the guards of TestS42, each turned off.
var s42 []mutanttest.Mutant
