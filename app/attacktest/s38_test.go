package attacktest

import "github.com/saysohq/sayso/app/mutanttest"

// s38 are the guards of TestS38, each turned off.
var s38 []mutanttest.Mutant
