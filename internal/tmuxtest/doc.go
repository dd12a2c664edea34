// Package tmuxtest drives programs in a terminal that is a tmux server of its
// own: what a person types goes in as keys, and what they would see comes out
// as text. It serves tests alone.
package tmuxtest
