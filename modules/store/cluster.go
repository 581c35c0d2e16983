package store

import (
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"mcp-aggregator/modules/servers"
)

// cluster is a servers.Cluster that ends.
type cluster interface {
	servers.Cluster
	close()
}

// joinNobody is for a database that one program uses.
func joinNobody(context.Context, *slog.Logger) (cluster, error) { return alone{}, nil }

// alone is the cluster of a database that one program uses.
type alone struct{}

func (alone) Changes() <-chan struct{} { return nil }

func (alone) Claim(context.Context, string) (servers.Claim, bool, error) {
	return noopClaim{}, true, nil
}

func (alone) close() {}

// noopClaim is a claim that nobody contests.
type noopClaim struct{}

func (noopClaim) Lost() <-chan struct{} { return nil }

func (noopClaim) Release() {}

// replicas is the cluster of those who share a PostgreSQL.
type replicas struct {
	*listener
	*claims
}

// joinReplicas listens to the others from when it returns.
func joinReplicas(ctx context.Context, config *pgx.ConnConfig, replica string, log *slog.Logger) (cluster, error) {
	l, err := startListener(ctx, named(config, "mcp-aggregator listener"), replica, log)
	if err != nil {
		return nil, err
	}
	return replicas{l, startClaims(ctx, named(config, "mcp-aggregator claims"), replica, log)}, nil
}

func (r replicas) close() {
	r.listener.close()
	r.claims.close()
}
