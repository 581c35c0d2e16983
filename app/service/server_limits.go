package service

import "time"

// limits bound what the HTTP server holds for clients, and how long it waits for them.
type limits struct {
	Headers time.Duration // until the headers of a request are there
	Idle    time.Duration // between the requests of a connection

	// A body is there within the grace, and a second more for each pace of bytes.
	Grace time.Duration
	Pace  int64
	// bodies is how many bytes of bodies may be held together; the first free ones of
	// each do not count, so that small requests never wait.
	Bodies, Free int64
	Room         time.Duration // that a body waits for others to make room

	Write time.Duration // for each 64 KiB of an answer
	// What is still sent after the answer is read so long, or the client, who is
	// writing when the connection ends, would not see the answer: of one with the
	// token, and of others.
	Linger, LingerRefused time.Duration

	Waiting int // connections without a request that has the token

	Drain time.Duration // that requests under way may take when the service stops
	Reply time.Duration // for the answers to those which it ends then
	Leave time.Duration // for requests that are not complete, or have no token, then
}

// defaultLimits are those of a process that may have that many descriptors open: half
// of them are for what the service does.
func defaultLimits(descriptors int) limits {
	const most = 4096
	return limits{
		Headers: 10 * time.Second, Idle: 2 * time.Minute,
		Grace: 30 * time.Second, Pace: 4 << 10,
		Bodies: 512 << 20, Free: 64 << 10, Room: 5 * time.Second,
		Write: 30 * time.Second, Linger: 5 * time.Second, LingerRefused: 500 * time.Millisecond,
		Waiting: max(min(most, descriptors/2), 1),
		Drain:   drainTime, Reply: 2 * time.Second, Leave: time.Second,
	}
}
