// Package faulttest holds the waiting room to its promises while what it stands on breaks: processes are killed, networks
// are cut, disks fill up and rot, replies get lost. It has tests only.
//
// They take minutes and some need root, so they run only when asked for:
//
//	SAYSO_FAULTS=1 go test ./engine/faulttest               what CI runs
//	SAYSO_FAULTS=1 SAYSO_LONG=1 go test -timeout 2h …       what is on record in docs/records/reliability.md
//
// Every test has a mutation: TestMutations builds this package once more, with guards of the product made switchable by
// an overlay, and wants the test to fail when its guard is off.
package faulttest
