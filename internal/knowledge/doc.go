// Package knowledge finds and reads what people write down for agents:
// instructions in AGENTS.md files, and skills, which are directories with a
// SKILL.md. With what is known of the surroundings it becomes the part of a
// session's system prompt that is not the program's own.
//
// Find looks for what a project has and reads none of it: whoever decides whether
// it may act gives the bytes to Gather. What a person keeps for themselves is read
// by Own.
package knowledge
