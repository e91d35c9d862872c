package attacktest

import "github.com/saysohq/sayso/app/mutanttest"

// s32 are the guards of TestS32, each turned off.
var s32 []mutanttest.Mutant
