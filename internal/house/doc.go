// Package house holds no code, only the tests that keep the house in order:
// which room may import which (the floors), what a stranger's module gets when
// it imports the library, and that the documents say the same as the tests.
//
// To add a room, add its line to the table in rooms_test.go and to the tables
// in docs/architecture.md and AGENTS.md.
package house
