package qdrant_test

import (
	"cmp"
	"context"
	"maps"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// fake implements the parts of Qdrant that the store uses, behind the client's own stubs.
// It searches by brute force.
type fake struct {
	key string // required API key, if any

	mu          sync.Mutex
	collections map[string]*collection
}

// collectionsFake and pointsFake are the two services of a fake.
type collectionsFake struct {
	qdrant.UnimplementedCollectionsServer
	*fake
}

type pointsFake struct {
	qdrant.UnimplementedPointsServer
	*fake
}

type collection struct {
	size   uint64
	fields map[string]qdrant.FieldType
	points map[string]*qdrant.PointStruct
}

// serve runs the fake at an address until the test ends or stop is called.
func (f *fake) serve(t *testing.T, address string) (url string, stop func()) {
	t.Helper()
	if f.collections == nil {
		f.collections = map[string]*collection{}
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(f.authorize))
	qdrant.RegisterCollectionsServer(server, collectionsFake{fake: f})
	qdrant.RegisterPointsServer(server, pointsFake{fake: f})
	var group sync.WaitGroup
	group.Go(func() { _ = server.Serve(listener) }) // ends with stop
	stop = sync.OnceFunc(func() { server.Stop(); group.Wait() })
	t.Cleanup(stop)
	return "http://" + listener.Addr().String(), stop
}

func (f *fake) authorize(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	given, _ := metadata.FromIncomingContext(ctx)
	if f.key != "" && !slices.Equal(given.Get("api-key"), []string{f.key}) {
		return nil, status.Error(codes.Unauthenticated, "Invalid\nAPI key")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return handle(ctx, request)
}

func (f *fake) named(name string) (*collection, error) {
	if c := f.collections[name]; c != nil {
		return c, nil
	}
	return nil, status.Errorf(codes.NotFound, "Collection `%s` doesn't exist!", name)
}

func (f collectionsFake) CollectionExists(_ context.Context, r *qdrant.CollectionExistsRequest) (*qdrant.CollectionExistsResponse, error) {
	return &qdrant.CollectionExistsResponse{Result: &qdrant.CollectionExists{Exists: f.collections[r.GetCollectionName()] != nil}}, nil
}

func (f collectionsFake) Create(_ context.Context, r *qdrant.CreateCollection) (*qdrant.CollectionOperationResponse, error) {
	params := r.GetVectorsConfig().GetParams()
	switch {
	case f.collections[r.GetCollectionName()] != nil:
		return nil, status.Error(codes.AlreadyExists, "Collection already exists!")
	case params.GetSize() == 0 || params.GetDistance() != qdrant.Distance_Cosine:
		return nil, status.Error(codes.InvalidArgument, "no vectors of cosine")
	}
	f.collections[r.GetCollectionName()] = &collection{size: params.GetSize(), fields: map[string]qdrant.FieldType{}, points: map[string]*qdrant.PointStruct{}}
	return &qdrant.CollectionOperationResponse{Result: true}, nil
}

func (f collectionsFake) List(context.Context, *qdrant.ListCollectionsRequest) (*qdrant.ListCollectionsResponse, error) {
	answer := &qdrant.ListCollectionsResponse{}
	for name := range f.collections {
		answer.Collections = append(answer.Collections, &qdrant.CollectionDescription{Name: name})
	}
	return answer, nil
}

func (f pointsFake) CreateFieldIndex(_ context.Context, r *qdrant.CreateFieldIndexCollection) (*qdrant.PointsOperationResponse, error) {
	c, err := f.named(r.GetCollectionName())
	if err == nil {
		c.fields[r.GetFieldName()] = r.GetFieldType()
	}
	return &qdrant.PointsOperationResponse{}, err
}

func (f pointsFake) Upsert(_ context.Context, r *qdrant.UpsertPoints) (*qdrant.PointsOperationResponse, error) {
	c, err := f.named(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	for _, p := range r.GetPoints() {
		if n := len(p.GetVectors().GetVector().GetDense().GetData()); uint64(n) != c.size || !r.GetWait() {
			return nil, status.Errorf(codes.InvalidArgument, "Vector dimension error: expected dim: %d, got %d", c.size, n)
		}
		c.points[p.GetId().GetUuid()] = p
	}
	return &qdrant.PointsOperationResponse{}, nil
}

func (f pointsFake) Get(_ context.Context, r *qdrant.GetPoints) (*qdrant.GetResponse, error) {
	c, err := f.named(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	answer := &qdrant.GetResponse{}
	for _, id := range r.GetIds() {
		if p := c.points[id.GetUuid()]; p != nil {
			one := &qdrant.RetrievedPoint{Id: p.GetId(), Payload: p.GetPayload()}
			if r.GetWithVectors().GetEnable() {
				one.Vectors = &qdrant.VectorsOutput{VectorsOptions: &qdrant.VectorsOutput_Vector{Vector: &qdrant.VectorOutput{
					Vector: &qdrant.VectorOutput_Dense{Dense: p.GetVectors().GetVector().GetDense()},
				}}}
			}
			answer.Result = append(answer.Result, one)
		}
	}
	return answer, nil
}

func (f pointsFake) UpdateBatch(_ context.Context, r *qdrant.UpdateBatchPoints) (*qdrant.UpdateBatchResponse, error) {
	c, err := f.named(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	for _, operation := range r.GetOperations() {
		change := operation.GetSetPayload()
		for _, id := range change.GetPointsSelector().GetPoints().GetIds() {
			maps.Copy(c.points[id.GetUuid()].GetPayload(), change.GetPayload())
		}
	}
	return &qdrant.UpdateBatchResponse{}, nil
}

func (f pointsFake) Delete(_ context.Context, r *qdrant.DeletePoints) (*qdrant.PointsOperationResponse, error) {
	c, err := f.named(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	for id, p := range c.points {
		if matches(p, r.GetPoints().GetFilter()) {
			delete(c.points, id)
		}
	}
	return &qdrant.PointsOperationResponse{}, nil
}

func (f pointsFake) Query(_ context.Context, r *qdrant.QueryPoints) (*qdrant.QueryResponse, error) {
	c, err := f.named(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	query := r.GetQuery().GetNearest().GetDense().GetData()
	answer := &qdrant.QueryResponse{}
	for _, p := range c.points {
		if matches(p, r.GetFilter()) {
			answer.Result = append(answer.Result, &qdrant.ScoredPoint{
				Id: p.GetId(), Score: cosine(query, p.GetVectors().GetVector().GetDense().GetData()),
				Payload: map[string]*qdrant.Value{"hash": p.GetPayload()["hash"]},
			})
		}
	}
	slices.SortFunc(answer.Result, func(a, b *qdrant.ScoredPoint) int { return cmp.Compare(b.GetScore(), a.GetScore()) })
	answer.Result = answer.GetResult()[:min(int(r.GetLimit()), len(answer.GetResult()))]
	return answer, nil
}

// matches supports the two kinds of conditions that the store uses.
func matches(p *qdrant.PointStruct, filter *qdrant.Filter) bool {
	for _, condition := range filter.GetMust() {
		field := condition.GetField()
		value := p.GetPayload()[field.GetKey()]
		if less := field.GetRange(); less != nil && float64(value.GetIntegerValue()) >= less.GetLt() {
			return false
		}
		if words := field.GetMatch().GetKeywords().GetStrings(); field.GetMatch() != nil && !slices.Contains(words, value.GetStringValue()) {
			return false
		}
	}
	return len(filter.GetMust()) > 0
}

func cosine(a, b []float32) float32 {
	var dot, left, right float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		left += float64(a[i]) * float64(a[i])
		right += float64(b[i]) * float64(b[i])
	}
	if left == 0 || right == 0 {
		return 0
	}
	return float32(dot / math.Sqrt(left*right))
}

// names returns the names of the collections, sorted.
func (f *fake) names() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for name := range f.collections {
		all = append(all, name)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}
