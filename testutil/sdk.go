package testutil

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/modules/child"
)

// SDK is a Program that serves what setup adds to a server of the SDK.
func SDK(setup func(*mcp.Server)) Program {
	return func(ctx context.Context, stdio Stdio) child.Exit {
		server := mcp.NewServer(&mcp.Implementation{Name: "fake", Version: "1"}, nil)
		setup(server)
		transport := &mcp.IOTransport{Reader: io.NopCloser(stdio.In), Writer: nopCloser{stdio.Out}}
		if err := server.Run(ctx, transport); err != nil && ctx.Err() == nil {
			return "exit status 1"
		}
		return "exit status 0"
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
