// Package modeltest is a scripted model for tests: a server on loopback that
// speaks the wires real agent programs and client libraries expect, and says
// what the test tells it to say.
//
// In most cases a test plays a list of replies and then looks at what the
// model was told:
//
//	model := modeltest.New(t, modeltest.Steps(
//		modeltest.Use("*ask_user", map[string]any{"question": "Which database?"}),
//		modeltest.Say("done"),
//	))
//	run(t, "ANTHROPIC_BASE_URL="+model.URL)
//	model.WantResults(t, "The user answered: SQLite")
//
// The wires are Anthropic Messages (POST …/messages, with …/count_tokens),
// OpenAI Chat Completions (…/chat/completions), OpenAI Responses (…/responses) and
// Gemini (…:generateContent), each as a stream of events or as one JSON body, whichever the
// client asks for. A program that wants a base address with a version in it is
// given URL + "/v1".
//
// Every request is kept. The server never calls out, has no clock and no
// randomness: its ids count up from one.
package modeltest
