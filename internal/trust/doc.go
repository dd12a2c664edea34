// Package trust judges what lies in a project and could act: tools with all that
// lies beside them, settings, MCP servers, and texts that models are to follow. A
// cloned repository brings them along, so none of it is used until a person has said
// so.
//
// The bytes that a person judges are the bytes that are used. Scan reads all of
// it once into memory and hashes it there; settings are taken from that memory,
// and Seal writes the tools from it into a private directory, where they are run.
// Whatever happens to the project's files in between changes nothing of it. A
// Book keeps the decisions, by directory and hash.
//
// Symbolic links. A link that stays among the tools is sealed as a link. One that
// leads to a file elsewhere in the project is sealed as that file: its content
// counts and a change of it asks again. A link that leads out of the project makes
// all of it unfit to be trusted: what lies there is not the project's, may be a
// mount that opening wakes up, and would be copied unseen. A link that leads
// nowhere is passed over.
//
// Texts may lie above the project's directory, as far up as its repository goes. Each
// stands for itself: one that cannot be read, or leads out, is passed over and leaves
// the rest as it is. Of a skill the SKILL.md is judged, not what lies beside it; and
// what a model reads with its tools, it reads as it is then.
//
// Modes. Of a file's mode it counts whether anybody may execute it; sealed files
// can be read by their owner alone, and written by nobody.
package trust
