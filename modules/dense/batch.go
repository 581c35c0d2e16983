package dense

import (
	"context"
	"slices"
)

// embedBatch embeds the tools of some points and stores their vectors. If the embedder
// rejects a batch, embedBatch splits it until the rejected tools are alone, and skips
// those.
func (l *Leg) embedBatch(ctx context.Context, space Space, points []Point) error {
	points, texts := l.texts(points)
	if len(texts) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	values, err := l.embed(ctx, texts, l.options.EmbedTimeout)
	switch {
	case hasCode(err, Rejected) && len(points) > 1:
		half := len(points) / 2
		if err := l.embedBatch(ctx, space, points[:half]); err != nil {
			return err
		}
		return l.embedBatch(ctx, space, points[half:])
	case hasCode(err, Rejected):
		l.markRejected(points[0], err)
		return nil
	case err != nil:
		return err
	case len(values[0]) != space.Dimension:
		l.resetSpace(space)
		return invalidResponse("its vectors have %d dimensions, previously %d", len(values[0]), space.Dimension)
	}
	vectors := make([]Vector, len(points))
	for i, p := range points {
		vectors[i] = Vector{Point: p, Values: values[i]}
	}
	return l.put(ctx, space, vectors)
}

// put stores vectors. If the store fails, put keeps the vectors for the next attempt,
// because embedding them again would cost money.
func (l *Leg) put(ctx context.Context, space Space, vectors []Vector) error {
	ctx, cancel := context.WithTimeout(ctx, l.options.StoreTimeout)
	defer cancel()
	if err := l.store.Put(ctx, space, vectors); err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, v := range vectors {
			if t := l.tools[v.Hash]; t != nil && l.space == space {
				t.values = v.Values
			}
		}
		return err
	}
	points, hashes := make([]Point, len(vectors)), make([]Hash, len(vectors))
	for i, v := range vectors {
		points[i], hashes[i] = v.Point, v.Hash
	}
	l.recordStored(space, points, hashes)
	return nil
}

// retryPuts stores the vectors that the store did not accept before.
func (l *Leg) retryPuts(ctx context.Context, space Space) error {
	l.mu.RLock()
	var vectors []Vector
	for hash, t := range l.tools {
		if t.values != nil && !t.stored {
			vectors = append(vectors, Vector{Point: Point{Hash: hash, Payload: t.Payload}, Values: t.values})
		}
	}
	l.mu.RUnlock()
	for some := range slices.Chunk(vectors, l.options.BatchSize) {
		if err := l.put(ctx, space, some); err != nil {
			return err
		}
	}
	return nil
}

// texts returns the points whose tools still exist, and their texts.
func (l *Leg) texts(points []Point) (left []Point, texts []string) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, p := range points {
		if t := l.tools[p.Hash]; t != nil {
			left = append(left, p)
			texts = append(texts, t.text(l.options.ToolPrefix, l.options.TextBytes))
		}
	}
	return left, texts
}

// markRejected skips a tool until the next daily sweep.
func (l *Leg) markRejected(p Point, err error) {
	l.log.Warn("the embedder rejected a tool: it is searched by words only", "server", p.Server, "tool", p.Name, "error", err)
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.tools[p.Hash]; t != nil {
		t.rejected = true
		l.recount()
	}
}
