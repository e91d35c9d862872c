// Package hubtest is the contract of a [hub.Store], and of the rules over it, as
// tests.
//
// Whoever writes a store runs both suites on it:
//
//	func TestStore(t *testing.T) { hubtest.Run(t, newStore, nil) }
//	func TestRules(t *testing.T) { hubtest.RunHub(t, newStore, nil) }
//
// [Run] holds the store to what [hub.Store] says, call by call. [RunHub] holds the
// waiting room to its promises on that store: one winner, no lost answer, no
// invented one, also when bells are lost, writes end in doubt and hubs die. It
// uses [Faulty], which puts faults between any two steps of a store.
package hubtest
