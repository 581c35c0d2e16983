package qdrant

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"mcp-aggregator/modules/dense"
)

// Options configure a Store.
type Options struct {
	URL    string // of the gRPC port, such as http://host:6334 or https://host:6334
	Key    string // API key, if any
	Prefix string // of collection names; default mcp_tools
}

// Store is a [dense.VectorStore] in Qdrant. It is usable between Start and Stop. Its
// methods are safe for concurrent use.
type Store struct {
	options Options
	client  *qdrant.Client

	mu          sync.Mutex
	collections map[string]bool // known to exist
}

var _ dense.VectorStore = (*Store)(nil)

// New returns a store, which Start opens.
func New(o Options) *Store {
	o.Prefix = cmp.Or(o.Prefix, "mcp_tools")
	return &Store{options: o, collections: map[string]bool{}}
}

// Start parses the URL. It does not connect, so that the program can start while Qdrant is
// down.
func (s *Store) Start(context.Context) error {
	config, err := s.options.config()
	if err != nil {
		return err
	}
	s.client, err = qdrant.NewClient(config)
	return err
}

// Check reports what is wrong with the options.
func (o Options) Check() error {
	_, err := o.config()
	return err
}

func (o Options) config() (*qdrant.Config, error) {
	u, err := url.Parse(o.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
		return nil, errors.New("vectors: the Qdrant URL is invalid: use http://host:6334 with the gRPC port, and put the key into the environment")
	}
	port := 6334
	if u.Port() != "" {
		if port, err = strconv.Atoi(u.Port()); err != nil {
			return nil, errors.New("vectors: the port of the Qdrant URL is not a number")
		}
	}
	host := u.Hostname()
	if ip := net.ParseIP(host); o.Key != "" && u.Scheme == "http" && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, errors.New("vectors: the Qdrant key would be sent in plain text: use https://")
	}
	return &qdrant.Config{
		Host: host, Port: port, APIKey: o.Key, UseTLS: u.Scheme == "https",
		SkipCompatibilityCheck: true, // the check would connect
		PoolSize:               1,
	}, nil
}

// Stop closes the connection.
func (s *Store) Stop(context.Context) error { return s.client.Close() }

// withCollection calls do with the collection of a space, which it creates if necessary.
func (s *Store) withCollection(ctx context.Context, space dense.Space, do func(collection string) error) error {
	name := s.collection(space)
	err := s.prepare(ctx, name, space.Dimension)
	if err == nil {
		err = do(name)
	}
	if status.Code(statusError(err)) == codes.NotFound {
		s.mu.Lock()
		delete(s.collections, name) // it is gone: the next use creates it
		s.mu.Unlock()
	}
	return storeError(err)
}

// statusError returns the gRPC status error inside an error of the client.
func statusError(err error) error {
	if known, ok := errors.AsType[*qdrant.QdrantError](err); ok {
		return known.Unwrap()
	}
	return err
}

// storeError describes an error of Qdrant in one line.
func storeError(err error) error {
	if err == nil {
		return nil
	}
	text := status.Convert(statusError(err)).Message()
	return fmt.Errorf("vectors: Qdrant: %w", describedError{err, strings.Join(strings.Fields(text), " ")})
}

// describedError is an error with a different message.
type describedError struct {
	error

	text string
}

func (e describedError) Error() string { return e.text }
func (e describedError) Unwrap() error { return e.error }

// Put implements [dense.VectorStore].
func (s *Store) Put(ctx context.Context, space dense.Space, vectors []dense.Vector) error {
	points := make([]*qdrant.PointStruct, len(vectors))
	for i, v := range vectors {
		if len(v.Values) != space.Dimension {
			return fmt.Errorf("vectors: the vector has %d dimensions, not %d", len(v.Values), space.Dimension)
		}
		points[i] = &qdrant.PointStruct{Id: pointID(v.Hash), Vectors: qdrant.NewVectorsDense(v.Values), Payload: payload(v.Point)}
	}
	if len(points) == 0 {
		return ctx.Err()
	}
	return s.withCollection(ctx, space, func(collection string) error {
		_, err := s.client.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: collection, Wait: new(true), Points: points})
		return err
	})
}

// getSize is the number of points per read. gRPC messages are limited to 4 MiB, which is
// 250 vectors of dimension 4,000.
const getSize = 200

// Get implements [dense.VectorStore].
func (s *Store) Get(ctx context.Context, space dense.Space, hashes []dense.Hash) (map[dense.Hash][]float32, error) {
	found := make(map[dense.Hash][]float32, len(hashes))
	err := s.eachStored(ctx, space, hashes, true, func(hash dense.Hash, point *qdrant.RetrievedPoint) {
		vector := point.GetVectors().GetVector()
		values := vector.GetDense().GetData()
		if values == nil {
			values = vector.GetData() //nolint:staticcheck // the only field set by Qdrant before 1.16
		}
		if len(values) == space.Dimension {
			found[hash] = values
		}
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Refresh implements [dense.VectorStore]. It writes changed payloads, and the time of use
// once a day.
func (s *Store) Refresh(ctx context.Context, space dense.Space, points []dense.Point) (known []dense.Hash, err error) {
	hashes, byHash := make([]dense.Hash, len(points)), make(map[dense.Hash]dense.Point, len(points))
	for i, p := range points {
		hashes[i], byHash[p.Hash] = p.Hash, p
	}
	var changes []*qdrant.PointsUpdateOperation
	err = s.eachStored(ctx, space, hashes, false, func(hash dense.Hash, point *qdrant.RetrievedPoint) {
		known = append(known, hash)
		if now := payload(byHash[hash]); stale(point.GetPayload(), now) {
			changes = append(changes, qdrant.NewPointsUpdateSetPayload(&qdrant.PointsUpdateOperation_SetPayload{
				Payload: now, PointsSelector: qdrant.NewPointsSelector(pointID(hash)),
			}))
		}
	})
	if err != nil || len(changes) == 0 {
		return known, err
	}
	return known, s.withCollection(ctx, space, func(collection string) error {
		_, err := s.client.UpdateBatch(ctx, &qdrant.UpdateBatchPoints{CollectionName: collection, Wait: new(true), Operations: changes})
		return err
	})
}

// eachStored calls do with the stored points among hashes.
func (s *Store) eachStored(ctx context.Context, space dense.Space, hashes []dense.Hash, vectors bool, do func(dense.Hash, *qdrant.RetrievedPoint)) error {
	return s.withCollection(ctx, space, func(collection string) error {
		for len(hashes) > 0 {
			some := hashes[:min(getSize, len(hashes))]
			hashes = hashes[len(some):]
			ids := make([]*qdrant.PointId, len(some))
			for i, hash := range some {
				ids[i] = pointID(hash)
			}
			points, err := s.client.Get(ctx, &qdrant.GetPoints{
				CollectionName: collection, Ids: ids, WithPayload: qdrant.NewWithPayload(true), WithVectors: qdrant.NewWithVectors(vectors),
			})
			if err != nil {
				return err
			}
			for _, point := range points {
				if hash, ok := hashOf(point.GetPayload()); ok {
					do(hash, point)
				}
			}
		}
		return ctx.Err()
	})
}

// Nearest implements [dense.VectorStore].
func (s *Store) Nearest(ctx context.Context, space dense.Space, query []float32, k int, servers []string) ([]dense.Neighbor, error) {
	if len(query) != space.Dimension {
		return nil, fmt.Errorf("vectors: the query has %d dimensions, not %d", len(query), space.Dimension)
	}
	if len(servers) == 0 || k <= 0 {
		return nil, ctx.Err()
	}
	var found []dense.Neighbor
	err := s.withCollection(ctx, space, func(collection string) error {
		points, err := s.client.Query(ctx, &qdrant.QueryPoints{
			CollectionName: collection, Query: qdrant.NewQueryDense(query), Limit: new(uint64(k)),
			Filter:      &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewMatchKeywords("source_server_name", servers...)}},
			WithPayload: qdrant.NewWithPayloadInclude("hash"),
		})
		for _, point := range points {
			// Exclude rounding errors around 0, and NaN.
			if hash, ok := hashOf(point.GetPayload()); ok && point.GetScore() > 1e-6 {
				found = append(found, dense.Neighbor{Hash: hash, Cosine: min(float64(point.GetScore()), 1)})
			}
		}
		return err
	})
	return found, err
}

// DeleteUnused implements [dense.VectorStore]. It keeps empty collections.
func (s *Store) DeleteUnused(ctx context.Context, before time.Time) error {
	names, err := s.client.ListCollections(ctx)
	if err != nil {
		return storeError(err)
	}
	old := &qdrant.Filter{Must: []*qdrant.Condition{qdrant.NewRange("used_at", &qdrant.Range{Lt: new(float64(before.Unix()))})}}
	for _, name := range names {
		if !strings.HasPrefix(name, s.options.Prefix+"_") {
			continue
		}
		_, err := s.client.Delete(ctx, &qdrant.DeletePoints{CollectionName: name, Wait: new(true), Points: qdrant.NewPointsSelectorFilter(old)})
		if err != nil && status.Code(statusError(err)) != codes.NotFound {
			return storeError(err)
		}
	}
	return nil
}
