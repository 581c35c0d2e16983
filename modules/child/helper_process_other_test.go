//go:build !unix

package child_test

func ignoreTermination() {}

func awaitTermination() {}

func processGroup() int { return 0 }

func runUnixVerb(verb, _ string) any { return "no such verb: " + verb }
