// Package doortest runs the real agent programs against the doors: each case
// starts the published program, gives it a scripted model (package modeltest),
// lets it ask, answers as a person would, and looks at the exact text that the
// model received.
//
// The programs come from npm at the versions in versions.json, which install.sh
// reads and .ci/run calls; SAYSO_AGENTS names the folder. Without it the cases are
// skipped, with
// it anything that is missing is a failure.
//
// The whole test process runs in namespaces of its own (see [Main]): its
// network is a loopback and nothing else, so no program reaches the internet,
// and no process outlives the run. Each case has a [World]: a throwaway home, a
// project folder, an environment in which nothing of the machine's is set, and
// the hub that the first sayso command in it starts.
//
// A case reads like this:
//
//	w := doortest.New(t)
//	model := modeltest.New(t, modeltest.Steps(modeltest.Use("*ask_user", input), modeltest.Say("done")))
//	p := w.Start(w.Env("ANTHROPIC_BASE_URL="+model.URL), doortest.Program(t, "claude"), "-p", "ask me")
//	p.Stdin.Close()
//	w.Answer(w.Asked(), "SQLite")
//	p.Wait()
//	model.WantResults(t, "…")
//
// The cases of a program are in the file of its name.
package doortest
