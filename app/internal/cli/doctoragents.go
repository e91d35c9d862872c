package cli

import (
	"errors"

	"github.com/saysohq/sayso/app/setup"
)

// lookAtAgents tells of each agent that is installed whether it is connected. An agent
// that is not connected is not reported as a fault: its user decides that.
func (p *program) lookAtAgents() (found []finding) {
	e, err := p.setupEnv()
	if err != nil {
		return nil // the folders are a finding already
	}
	for _, a := range setup.Agents() {
		if !a.Installed(e) && !setup.Recorded(e, a) {
			continue
		}
		c, err := setup.Look(e, a)
		var byHand *setup.ByHand
		if errors.As(err, &byHand) {
			found = append(found, finding{a.Name, byHand.Why, true, byHand.Do})
			continue
		}
		if err != nil {
			found = append(found, finding{a.Name, err.Error(), true, "correct that, then: sayso setup " + a.Name})
			continue
		}
		f := finding{a.Name, c.Status.String(), true, ""}
		if c.Status != setup.SetUp {
			f.Fix = "sayso setup " + a.Name
		} else if a.Bypass != nil {
			if why, err := a.Bypass(e); err != nil {
				f.Value += ", but its settings cannot be read: " + err.Error()
			} else if why != "" {
				f.Value, f.Fix = "bypassed: "+why, "change that setting, unless you want it so"
			}
		}
		found = append(found, f)
	}
	return found
}
