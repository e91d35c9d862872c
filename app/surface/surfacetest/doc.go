// Package surfacetest is the conformance suite of surfaces: the places where people
// read a question and answer it, and the protocols that show it elsewhere. People
// answer what they were shown; every rule here serves that sentence.
//
// A surface says once how a person uses it, as a [Person], and [Run] plays the cases
// of all rules on it, against a real hub that can be killed:
//
//	func TestSurface(t *testing.T) {
//		surfacetest.Run(t, surfacetest.Surface{Name: "prompt", Virtual: true, Open: open})
//	}
//
// [Surfaces] lists every surface and the rules that do not concern it, with the
// reason; docs/contributing/surfaces.md has the same table. [RunMatch] holds anything that reads
// a text as an answer to testdata/match.json.
package surfacetest
