// Package ikigai is the vocabulary of the agent: the words that its parts
// share, and nothing else. It does no I/O, imports only the standard library
// and knows no vendor of language models.
//
// A session is one conversation with its log. The log is a sequence of
// [Event] values that are only ever appended. What a model is sent is a
// projection of it, a list of [Message] values; what a person sees is another.
//
// A [Model] answers a [Request] with a stream of [Delta] values. A [Tool] runs
// a [Call] and returns a [Result] with three separate parts: Output for the
// model, Note for the model about the run, Report for the person.
//
// A [Recorder] is what the loop between model and tools sees of a session, a
// [Log] what a session sees of a store.
package ikigai
