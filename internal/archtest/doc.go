// Package archtest holds no code, only the tests that keep the repository in
// order: which package may import which (the layers), what a stranger's module
// gets when it imports the library, and that the documents say the same as the
// tests.
//
// To add a package, add its line to the table in packages_test.go and to the
// tables in docs/contributing/packages.md and AGENTS.md.
package archtest
