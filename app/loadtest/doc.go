// Package loadtest measures the sayso program under load, the way its users
// meet it: sayso serve as a process of its own, keys, requests and event streams
// over HTTP. It has tests only.
//
// The figures G1 to G4 and MIGRATE are in figure_g*_test.go, the soak test in
// soak_test.go; make figures ONLY=G1 and make soak run them. The quick tests beside
// them run in CI and hold the load itself to its rules: every cycle gets its own
// answer.
//
// The test program is also the program under test, see [TestMain]. With
// SAYSO_BEFORE, the path of this test program as built from an earlier version
// (go test -c ./loadtest; copy this package and enginetest there if that version has
// none), the figures measure that version in the same run, as far
// as it can do what they need. SAYSO_PREPARED is a folder in which filled data
// folders are kept from one run to the next.
package loadtest
