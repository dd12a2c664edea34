// Package scriptserver is a scripted model behind a real HTTP server on the
// loopback interface. It speaks Chat Completions, Anthropic's Messages, OpenAI's
// Responses and Gemini's streamGenerateContent, so that everything but the model
// itself is the real path: it serves the demo, people who try a tool or a setting
// without a key, tests with faults on demand, and benchmarks.
//
// A [Script] says which replies a statement gets. It is written by hand and
// read by [Parse], in the format that docs/scripts.md describes, or built as a
// Go value. [Start] serves it.
//
// The reply is chosen from the request alone: the last user message selects
// the statement, the number of assistant messages after it the reply. So
// retries, resumed sessions and forks work, and several clients may use one
// server. Only faults that go away after some attempts have a counter.
//
// The server refuses, as strict vendors do and in their form, what is not a
// valid request; see package wirecheck. Beside Chat Completions it seals what its
// models think, and refuses what does not come back as it was. A test that goes
// through it proves its requests valid.
package scriptserver
