// Package gracetest kills the hub, the agent and the browser while an answer is held,
// taken back, released, delivered and consumed, and compares what the agent got with
// what the person was told. It has tests only.
//
// The hub and the agent (`sayso ask`) are the real program. The browser is played: it
// answers and takes back over HTTP, notes what the hub said, and stays on its stream of
// events, as a page does.
package gracetest
