package attacktest

import "github.com/saysohq/sayso/app/mutanttest"

// faultMutants are what makes faults speak, each turned off.
var faultMutants = []mutanttest.Mutant{
	{
		Name: "faults: a write waits for a server that does not answer",
		Test: "^TestFaultsSpeak$/^full_disk_.ext4.$", Says: `POST /v1/asks: .*Timeout exceeded`,
		Edits: []mutanttest.Edit{{
			File: "app/engine/natsstore/term.go",
			Old:  "	_, err := s.opts.Health.Fault()\n	return err\n",
			New:  "	_, err := s.opts.Health.Fault()\n	if MUTANT {\n		return nil\n	}\n	return err\n",
		}},
	},
	{
		Name: "faults: the hub tries again",
		In:   "../../hub", Test: "^TestFaultIsTold$", Says: `after [2-9][0-9]* writes`,
		Edits: []mutanttest.Edit{{File: "hub/update.go", Old: `FaultOf(err) != "": // nobody`, New: `FaultOf(err) != "" && !MUTANT: // nobody`}},
	},
	{
		Name: "faults: the client tries again",
		Test: "^TestFaultsSpeak$/^no_descriptors$", Says: `sayso ask took`,
		Edits: []mutanttest.Edit{{File: "client/request.go", Old: `hub.FaultOf(err) != "" //`, New: `hub.FaultOf(err) != "" && !MUTANT //`}},
	},
	{
		Name: "faults: the hub is always ready",
		Test: "^TestFaultsSpeak$/^no_descriptors$", Says: `waited in vain until /readyz tells of the fault`,
		Edits: []mutanttest.Edit{{
			File: "app/internal/cli/localhub/engine.go",
			Old:  "	if _, err := e.server.Fault(); err != nil {\n",
			New:  "	if _, err := e.server.Fault(); err != nil && !MUTANT {\n",
		}},
	},
	{
		Name: "faults: permissions are not looked at",
		Test: "^TestFaultsSpeak$/^folder_without_permission$", Says: `waited in vain until /readyz tells of the fault`,
		Edits: []mutanttest.Edit{
			{File: "app/engine/natsserver/disk.go", Old: "if err := mayWrite(dir); err != nil {", New: "if err := mayWrite(dir); err != nil && !MUTANT {"},
			{File: "app/engine/natsserver/watch.go", Old: `if err != nil && fault(err) != "" {`, New: `if err != nil && fault(err) != "" && !MUTANT {`},
		},
	},
	{
		Name: "faults: a lack of descriptors is not known by name",
		Test: "^TestFaultsSpeak$/^no_descriptors$", Says: `503 stopped`,
		Edits: []mutanttest.Edit{{
			File: "app/engine/natsserver/disk.go",
			Old:  "		if errors.Is(err, r.errno) {\n",
			New:  "		if errors.Is(err, r.errno) && !(MUTANT && r.fault == hub.FaultNoDescriptors) {\n",
		}},
	},
	{
		Name: "faults: no descriptors are held back",
		Test: "^TestFaultsSpeak$/^no_descriptors$", Says: `sayso ask took`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/localhub/spare_unix.go", Old: "for connlimit.Scarce(err) {", New: "for connlimit.Scarce(err) && !MUTANT {"}},
	},
	{
		Name: "faults: the hub does not go on",
		Test: "^TestFaultsSpeak$/^folder_without_permission$", Says: `waited in vain until the hub stores asks again`,
		Edits: []mutanttest.Edit{{File: "app/engine/natsserver/condition.go", Old: "if s.log.frozen.Load() {", New: "if s.log.frozen.Load() || MUTANT {"}},
	},
	{
		Name: "faults: ask does not say why there is no hub",
		Test: "^TestFaultsSpeak$/^no_HOME$", Says: `sayso ask +exit 75, [^s]`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/ask.go", Old: "if !errors.Is(why, errNoHub) {", New: "if !errors.Is(why, errNoHub) && !MUTANT {"}},
	},
	{
		Name: "faults: the doctor does not read the store",
		Test: "^TestFaultsSpeak$/^damaged_block,_at_the_start$", Says: `sayso doctor +exit 0`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/doctor.go", Old: "		if sound {\n", New: "		if sound && !MUTANT {\n"}},
	},
	{
		Name: "faults: health is always 0",
		Test: "^TestFaultsSpeak$/^no_hub_is_running$", Says: `sayso health +exit 0, no hub`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/health.go", Old: "if err == nil && ready != nil {", New: "if err == nil && ready != nil && !MUTANT {"}},
	},
	{
		Name: "faults: askers are told the folder",
		Test: "^TestFaultsSpeak$/^no_descriptors$", Says: `the asker is told a folder`,
		Edits: []mutanttest.Edit{{
			File: "app/httpapi/problem.go",
			Old:  "		p = unavailable.problem(f.Advice())\n",
			New:  "		p = unavailable.problem(f.Advice())\n		if MUTANT {\n			p.Detail = err.Error()\n		}\n",
		}},
	},
	{
		Name: "faults: a start that fails is not explained",
		Test: "^TestFaultsSpeak$/^read-only_disk,_at_the_start$", Says: `sayso ask +exit 75, sayso: nobody could be asked: making`,
		Edits: []mutanttest.Edit{{
			File: "app/internal/cli/localhub/start.go",
			Old:  "	return conn, natsserver.Explain(s.Places.State, err)\n",
			New:  "	if MUTANT {\n		return conn, err\n	}\n	return conn, natsserver.Explain(s.Places.State, err)\n",
		}},
	},
	{
		Name: "faults: a hub starts with too few descriptors",
		Test: "^TestFaultsSpeak$/^few_descriptors,_at_the_start$", Says: `few-descriptors-at-the-start.golden`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/localhub/serve.go", Old: "o.Engine.Cluster != nil); err != nil {", New: "o.Engine.Cluster != nil); err != nil && !MUTANT {"}},
	},
	{
		Name: "operator: a clock that went back is not noticed",
		Test: "^TestOperatorSees$/^clock$", Says: `waited in vain until the hub logs the clock of this machine`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/localhub/clock.go", Old: "case !r.Newest.IsZero() && ahead > clockApart:", New: "case !r.Newest.IsZero() && ahead > clockApart && !MUTANT:"}},
	},
	{
		Name: "operator: a port in use is told as the system says it",
		Test: "^TestOperatorSees$/^port-in-use$", Says: `port-in-use.txt`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/localhub/listen.go", Old: "case errors.Is(err, syscall.EADDRINUSE):", New: "case errors.Is(err, syscall.EADDRINUSE) && !MUTANT:"}},
	},
	{
		Name: "operator: few descriptors are not warned of",
		Test: "^TestOperatorSees$/^few-descriptors$", Says: `waited in vain until the hub logs the hub may open 400 files`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/localhub/connections.go", Old: "files < descriptorsOfSystem {", New: "files < descriptorsOfSystem && !MUTANT {"}},
	},
	{
		Name: "operator: the doctor does not show what the hub warns of",
		Test: "^TestOperatorSees$/^few-descriptors$", Says: `few-descriptors.txt`,
		Edits: []mutanttest.Edit{{File: "app/internal/cli/doctor.go", Old: "	if info != nil {\n", New: "	if info != nil && !MUTANT {\n"}},
	},
	{
		Name: "operator: a connection to NATS is lost without a word",
		Test: "^TestOperatorSees$/^nats-unreachable$", Says: `waited in vain until the hub logs the connection to NATS is lost`,
		Edits: []mutanttest.Edit{{File: "app/engine/natsserver/connect.go", Old: "	if o.Lost != nil {\n", New: "	if o.Lost != nil && !MUTANT {\n"}},
	},
	{
		Name: "operator: a permission that is missing is not named",
		Test: "^TestOperatorSees$/^nats-permissions$", Says: `sayso serve took`,
		Edits: []mutanttest.Edit{{File: "app/engine/natsserver/connect.go", Old: "	if o.Denied != nil {\n", New: "	if o.Denied != nil && !MUTANT {\n"}},
	},
}
