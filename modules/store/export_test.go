package store

// Bounds of the claims.
const (
	KillTime  = killTime
	FenceTime = fenceTime
)
