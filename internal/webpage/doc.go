// Package webpage turns web pages into text: bytes of any charset into UTF-8,
// and HTML into the Markdown of what a reader sees of it.
//
// Pages come from strangers. Whatever they hold, the time and memory that they
// take grow with their length alone: markup is read once, from its beginning to
// its end, without the tree that browsers build, and what is written is bounded.
package webpage
