// Package hubfake is a hub for the tests of doors that live in a bubble of
// [testing/synctest], where there are no processes and no network.
//
// [World] is the hub behind its API. [Questions] stands in for a hub where there
// are more questions than the real one should be asked, [Slow] for one that takes
// its time to say that it has a question. [Transcripts] plays the scripts of a door
// and compares what went over the wire.
package hubfake
