package store

// Bounds of the claims.
const (
	KillTime  = killTime
	FenceTime = fenceTime
)

// SetCodec has the store encode and decode the columns that hold secrets so.
func (s *Store) SetCodec(encode, decode func(text string) (string, error)) {
	s.codec = codec{encode, decode}
}
