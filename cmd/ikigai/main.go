// Command ikigai is an agent for the terminal.
package main

func main() {}
