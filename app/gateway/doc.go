// Package gateway lets the processes that serve one store know of each other.
//
// Each of them joins a [Group]. It has a record in the store, which says that it is
// there and whatever else it wants the others to know, such as what each credential
// uses at the moment. The others are told of changes within about a second.
//
// A process that is alone costs the store one small write a minute. The others begin
// to write when they hear of a second one.
package gateway
