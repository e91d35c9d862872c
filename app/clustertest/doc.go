// Package clustertest shows what a cluster of hubs promises, the way its users meet it: `sayso serve` as processes of their
// own in network namespaces of their own, started with the flags that the documents name, and clients over HTTPS. It has
// tests only.
//
// TestFigure_CLUSTER asks, answers, reads and follows on three nodes while they are killed, cut off, paused, stopped and
// started again, and checks what everybody was told (package historytest). TestFigure_EXTERNAL does the same with
// two gateways in front of NATS servers that belong to somebody else. The other figures measure a planned stop, a killed
// node, nodes that are replaced, and a rolling upgrade. CI runs short forms (.ci/run cluster); SAYSO_LONG=1 asks for those
// on record, see docs/records/reliability.md.
//
// The test program is also the program under test, see [TestMain]. SAYSO_BEFORE is the path of this test program, or of
// sayso, as built from an earlier version: the rolling upgrade begins with it.
package clustertest
