package check

import (
	"errors"
	"fmt"
	"io"
	"time"

	"mcp-aggregator/app/cli"
	"mcp-aggregator/app/simple"
	"mcp-aggregator/modules/child"
)

// Options are the flags of check itself.
type Options struct {
	JSON   bool
	Client string // key of the client to judge for, one of [Clients]; empty for all
	Screen Screen
}

// Run starts all servers as serve does, prints a report on each, and stops them. It
// reports what goes wrong on o.Stderr; the error it returns is a [cli.ExitError], which
// is [cli.ExitFailed] unless all servers ran.
func Run(o simple.Options, how Options) error {
	o.Quiet = true
	return simple.Attend(o, func(o simple.Options) error { return run(o, how) })
}

func run(o simple.Options, how Options) error {
	client, stdio := simple.NewClient()
	defer client.Close()
	n, err := simple.Start(o, stdio)
	if err != nil {
		if how.JSON {
			err = errors.Join(err, writeConfigReport(o.Stdout, err))
		}
		return err
	}
	err = client.Initialize(o.Version)
	if err == nil {
		err = n.AwaitServers(func(s child.Status) {
			if o.Progress {
				fmt.Fprintln(o.Stderr, progress(s))
			}
		})
	}
	var listed []simple.ListedTool
	if err == nil && o.Lean {
		listed, err = client.ListTools()
	}
	report := newReport(n, o, how.Client, listed)
	if err = errors.Join(err, n.Stop()); err != nil {
		return err
	}
	if err := n.Print(func() error { return report.print(o.Stdout, how) }); err != nil {
		return err
	}
	if !report.allRan() {
		return cli.Exit(cli.ExitFailed)
	}
	return nil
}

func (r Report) print(w io.Writer, how Options) error {
	if how.JSON {
		return r.writeJSON(w)
	}
	return r.Print(w, how.Screen)
}

// progress is the line that a person sees when a server has settled.
func progress(s child.Status) string {
	if s.Err != nil {
		return fmt.Sprintf("%s: %s", cli.Quote(s.Key), s.State) // the report says why
	}
	return fmt.Sprintf("%s: %s, %s after %v", cli.Quote(s.Key), s.State, count(s.Tools, "tool"), s.Ready.Round(time.Millisecond))
}
