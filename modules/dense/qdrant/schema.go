package qdrant

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"mcp-aggregator/modules/dense"
)

// collection returns the name of the collection of a space.
func (s *Store) collection(space dense.Space) string {
	hash := sha256.Sum256([]byte(space.Model))
	return fmt.Sprintf("%s_%x_%d", s.options.Prefix, hash[:6], space.Dimension)
}

// fields returns the payload indexes.
func fields() map[string]qdrant.FieldType {
	return map[string]qdrant.FieldType{
		"source_server_id":   qdrant.FieldType_FieldTypeKeyword,
		"source_server_name": qdrant.FieldType_FieldTypeKeyword,
		"original_name":      qdrant.FieldType_FieldTypeText,
		"is_external":        qdrant.FieldType_FieldTypeBool,
		"is_classified":      qdrant.FieldType_FieldTypeBool,
		"skill_ids":          qdrant.FieldType_FieldTypeKeyword,
		"used_at":            qdrant.FieldType_FieldTypeInteger,
	}
}

// prepare creates a collection and its indexes if necessary.
func (s *Store) prepare(ctx context.Context, name string, dimension int) error {
	s.mu.Lock()
	exists := s.collections[name]
	s.mu.Unlock()
	if exists {
		return nil
	}
	exists, err := s.client.CollectionExists(ctx, name)
	if err != nil {
		return err
	}
	if !exists {
		err := s.client.CreateCollection(ctx, &qdrant.CreateCollection{CollectionName: name, VectorsConfig: qdrant.NewVectorsConfig(
			&qdrant.VectorParams{Size: uint64(dimension), Distance: qdrant.Distance_Cosine},
		)})
		if err != nil && status.Code(statusError(err)) != codes.AlreadyExists { // another replica may have created it
			return err
		}
	}
	for field, kind := range fields() { // even if the collection exists: its creator may have failed halfway
		if _, err := s.client.CreateFieldIndex(ctx, &qdrant.CreateFieldIndexCollection{
			CollectionName: name, Wait: new(true), FieldName: field, FieldType: new(kind),
		}); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.collections[name] = true
	return nil
}

// pointID returns the first half of a hash, because ids in Qdrant are UUIDs.
func pointID(hash dense.Hash) *qdrant.PointId { return qdrant.NewIDUUID(uuid.UUID(hash[:16]).String()) }

// payload returns the payload of a point that is used now.
func payload(p dense.Point) map[string]*qdrant.Value {
	skills := make([]*qdrant.Value, len(p.SkillIDs))
	for i, id := range p.SkillIDs {
		skills[i] = qdrant.NewValueString(id)
	}
	return map[string]*qdrant.Value{
		"source_server_id":   qdrant.NewValueString(p.ServerID),
		"source_server_name": qdrant.NewValueString(p.Server),
		"original_name":      qdrant.NewValueString(p.Name),
		"is_external":        qdrant.NewValueBool(true),
		"is_classified":      qdrant.NewValueBool(p.Classified),
		"skill_ids":          qdrant.NewValueFromList(skills...),
		"hash":               qdrant.NewValueString(hex.EncodeToString(p.Hash[:])),
		"used_at":            qdrant.NewValueInt(time.Now().Unix()),
	}
}

// hashOf returns the hash in a payload.
func hashOf(payload map[string]*qdrant.Value) (hash dense.Hash, ok bool) {
	n, err := hex.Decode(hash[:], []byte(truncate(payload["hash"].GetStringValue(), 2*len(hash))))
	return hash, err == nil && n == len(hash)
}

func truncate(text string, n int) string { return text[:min(len(text), n)] }

// stale reports whether the stored payload differs or was last used a day ago.
func stale(stored, now map[string]*qdrant.Value) bool {
	if now["used_at"].GetIntegerValue()-stored["used_at"].GetIntegerValue() >= int64(24*time.Hour/time.Second) {
		return true
	}
	for field := range fields() {
		if field != "used_at" && stored[field].String() != now[field].String() {
			return true
		}
	}
	return false
}
