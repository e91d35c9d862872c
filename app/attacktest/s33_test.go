package attacktest

import "github.com/saysohq/sayso/app/mutanttest"

// s33 are the guards of TestS33, each turned off.
var s33 []mutanttest.Mutant
