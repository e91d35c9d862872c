package attacktest

import "github.com/saysohq/sayso/app/mutanttest"

// s39 are the guards of TestS39, each turned off.
var s39 []mutanttest.Mutant
