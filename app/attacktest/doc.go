// Package attacktest attacks the sayso program the way a hostile agent, another
// user of the machine or a foreign web page would. It has tests only.
//
// Every test is named after its row in docs/records/security-tests.md: TestS31, TestS32 and so
// on. It starts the real program with documented flags in a fresh home, and fails
// if the attack succeeds. [TestMutants] turns each guard off and wants the test to
// notice. Run them with .ci/run attacks.
package attacktest
