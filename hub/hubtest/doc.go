// Package hubtest is the contract of a [hub.Store], and of the rules over it, as
// tests.
//
// If you write a store, run both suites on it:
//
//	func TestStore(t *testing.T) { hubtest.Run(t, newStore, nil) }
//	func TestRules(t *testing.T) { hubtest.RunHub(t, newStore, nil) }
//
// [Run] checks the store against [hub.Store], call by call. [RunHub] checks the
// hub's guarantees on that store: one winner, no lost answer, no invented one,
// also when notifications are lost, writes end in doubt and hubs crash. It uses
// [Faulty], which injects faults between any two steps of a store.
package hubtest
