package child

import (
	"io"

	"mcp-aggregator/config"
)

// Spawner starts the process of one server. Tests replace it with fakes.
type Spawner interface {
	// Spawn starts the server and returns at once. The error says in words
	// why the process could not be started.
	Spawn(server config.ServerConfig) (*Process, error)
}

// Process is one running child process with its pipes.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser // Close breaks a blocked Read
	Stderr io.ReadCloser // Close breaks a blocked Read
	Control
}

// Control is the power over a child process and its group.
type Control interface {
	// Wait blocks until the process itself has ended, whoever still holds its
	// pipes, and then ends what is left of its group. It is called once.
	Wait() Exit
	// Terminate asks the whole group to end (SIGTERM).
	Terminate()
	// Kill ends the whole group (SIGKILL).
	Kill()
}

// Exit is how a process ended, in the words of os.ProcessState: "exit status
// 0", "signal: killed".
type Exit string
