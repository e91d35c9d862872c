// Package opencode brings the questions and the requests for permission of opencode to
// a hub, while opencode shows its own dialog: the first answer wins.
//
// opencode runs the plugin that "sayso setup opencode" installs, in every mode. The
// plugin starts "sayso bridge opencode" and forwards events; [Serve] is the other end.
// [Attach] does the same for a server that has no plugin, over its HTTP API.
//
// What the package guarantees, beside what package bridge does:
//
//   - A request for permission shows the input of the tool call that waits, which
//     opencode keeps apart from the request. Without it nothing can be allowed.
//   - What is offered is what opencode carries out, with the patterns that it would
//     remember.
//   - What opencode tells of its own dialog is kept as opencode's word: some of its
//     modes answer by themselves, and it does not say so.
package opencode
