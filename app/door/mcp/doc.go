// Package mcp serves agents that speak the Model Context Protocol: an MCP server
// whose tools ask the user.
//
// Most programs need [New] and then [Door.Serve], for an agent that starts this
// program and speaks to its standard streams, or [Door.Handler], for agents that
// come over HTTP.
//
// The tools are ask_user, which waits for the answer, ask_user_async, which does
// not, check_answer and withdraw. How ask_user waits is chosen for each call, by
// what the caller declares in that very request:
//
//   - It knows the tasks extension: the ask is a durable task, which it polls.
//   - It speaks 2026-07-28 or later and can show a form: the result asks for
//     input, and the call is made again with it.
//   - It speaks an older version and can show a form: the form is raced with the
//     hub, and taken back if the hub is faster.
//   - None of these: the call waits as long as this client accepts, with progress
//     notifications, and then returns a handle for check_answer.
//
// What the package guarantees:
//
//   - An ask is stored in the hub before anything else happens, and stays there
//     whatever becomes of the call, the client or this process.
//   - Whatever a client sends is checked here: its JSON before anything reads it,
//     its answers against the questions, its capabilities before they are used.
//   - What a program says by itself is never a person's decision.
//   - A form holds everything that its answer is bound to, or is not sent. What is
//     dangerous counts after a second form that names it.
//   - The model is told what the hub has. A reply is kept until the hub has it.
//   - An answer that comes after its call has ended is announced once, and can be
//     read with the handle; see docs/explanation/late-answers.md.
package mcp
