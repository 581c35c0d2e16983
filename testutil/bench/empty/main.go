// Command empty is the floor of what any Go program takes to start.
package main

func main() {}
