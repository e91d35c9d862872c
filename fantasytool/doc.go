// Package fantasytool is the asking tool as a [fantasy.AgentTool], in any dialect.
//
// Most hosts call [NewTool] with a dialect and a resolver and register the result
// with their agent; [NewToolNamed] gives the tool another name.
//
// What the package guarantees:
//
//   - The model is told the dialect's own schema, with its limits. Schemas that
//     fantasy makes by reflection have none.
//   - A call that is not valid comes back as an error result that names every
//     problem, so that the model can correct itself; nobody is asked.
//   - A refusal comes back in the dialect's words, and is no error of the run.
//   - A resolver that leaves the ask for later ends the turn; the result's
//     metadata is a [Pending], from which the host goes on when the answer is
//     there (see [Answer]).
//   - Run returns an error, which ends fantasy's loop, only when asking broke or
//     its context ended.
package fantasytool
