// Package agent is a durable host of conversations: it asks, sleeps on disk, wakes
// up on the answer, days later and perhaps on another machine, and goes on.
//
// A program opens a [Host] with a model, tools and two places to keep things in,
// and talks to conversations by their ids:
//
//	h, err := agent.Open(ctx, &agent.Options{
//		Journal: j,                                    // journal.OpenNATS, or journal.NewMemory
//		Asks:    hub.Asker("home", sayso.Responder{}), // where people answer
//		Model:   m,                                    // model.Open
//		Tools:   set.Tools(),                          // mcptools.Connect, or tools of your own
//	})
//	defer h.Stop()
//	err = h.Send(ctx, "c1", "m1", "Set up a service") // begins it, or goes on with it
//	c, err := h.Wait(ctx, "c1")                       // until it needs somebody
//	c.State; c.Transcript; c.Asks()                   // what it waits to be told
//
// Whoever answers does so in the hub, on any surface; the host notices. [Host.Get]
// and [Host.List] read what is saved, [Host.Subscribe] tells what happens, and
// [Host.Cancel], [Host.Retry] and [Host.End] are what else a conversation can be
// told. Package engine opens a hub and a journal in one folder.
//
// The state machine is package conversation; this package carries out its effects.
// A call of the asking tool becomes an ask in the hub, a call of spawn_agents
// becomes sub-agents, whose asks escalate to their parent and from there to the
// person ([SubAgents]).
//
// What the package guarantees, over any journal and hub that keep what they
// acknowledge:
//
//   - A host may die at any moment. Another one, or the same, goes on where it
//     was: no tool call is made again whose result was saved, and no question is
//     asked again. A tool call whose result was not saved is made again under the
//     same key if the tool allows it ([Tool.Repeat]); otherwise the model is told
//     that nobody knows what became of it.
//   - One host at a time works on a conversation. A host that was thought dead can
//     save nothing any more.
//   - A conversation that waits for its person, or for a message, holds no
//     goroutine and no memory of the host: one watcher wakes all of them.
package agent
