package gateway

// SDKSessions returns how many sessions the SDK has.
func (g *Gateway) SDKSessions() (n int) {
	for range g.sdk.Sessions() {
		n++
	}
	return n
}
