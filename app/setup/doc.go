// Package setup connects agents to sayso: it changes their settings, shows what it
// would change, and takes it back.
//
// [Agents] lists the agents, in the order in which "sayso setup" goes through them.
// An agent is a file of this package. Its [Plan] names the settings files that it
// changes, each with a function that puts ours in and one that takes ours out.
// [EditJSON] and [EditTOML] are for those functions. [Look] says what would change,
// [Change.Write] writes it, and [Undo] takes it back.
//
// An edit keeps every byte that is not ours. A file is written as a whole or not at
// all, and not before the bytes that it had are kept in sayso's own state folder, so
// that undoing restores them. If somebody changed the file in the meantime, undoing
// takes out only ours. Nothing that is printed has more of a file than what is added
// or removed: settings contain secrets.
package setup
