// Package enginetest starts real server processes for tests, and hurts them.
//
// The test binary itself becomes the server: call Main first thing in TestMain, then StartNode or StartCluster in a test,
// and Kill, Stop, Pause, Resume or Restart the nodes. NewNetwork puts a cluster into network namespaces of its own, in
// which nodes can be cut off from each other; NewDisk gives a node a file system from which the power can be taken.
//
// A fault that needs a tool or a right this machine does not have skips the test, or fails it under CI; see package
// testenv.
package enginetest
