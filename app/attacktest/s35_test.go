package attacktest

import "github.com/saysohq/sayso/app/mutanttest"

// s35 are the guards of TestS35, each turned off.
var s35 []mutanttest.Mutant
