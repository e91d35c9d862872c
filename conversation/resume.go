package conversation

// outstanding returns the effects that a conversation in this state waits for.
// Each of them was returned by a transition before, under the same key.
func outstanding(s State) []Effect {
	var effects []Effect
	switch s := s.(type) {
	case LLMRequesting:
		effects = append(effects, s.request())
	case ToolExecuting:
		effects = append(effects, ExecuteTool{Step: s.Step, Call: s.Current})
	case AwaitingUserResponse:
		effects = append(effects, putting(s.Thread, s.Ask))
	case AwaitingSubAgents:
		for _, agent := range s.Agents {
			if agent.Result != nil {
				continue
			}
			effects = append(effects, StartAgent{Agent: SubAgent{ID: agent.ID, Name: agent.Name, Task: agent.Task}})
			for _, a := range agent.Asks {
				effects = append(effects, putting(s.Thread, a))
			}
		}
	case Idle, Failed, Ended:
	}
	return append(effects, s.thread().Outbox...)
}
