package dense

import (
	"cmp"
	"time"
)

// Options of a Leg. The zero value means the defaults.
type Options struct {
	BatchSize        int           // texts a request; default 32, which every server takes
	Concurrency      int           // requests for tools at once; default 2
	QueryConcurrency int           // queries that are embedded at once, beyond which they fail; default 16
	EmbedTimeout     time.Duration // of a request for tools; default 30 s
	QueryTimeout     time.Duration // of Scores; default 300 ms
	StoreTimeout     time.Duration // of the store's other uses; default 30 s
	FirstPause       time.Duration // between two attempts to embed; default 1 s, longer each time
	LastPause        time.Duration // longest pause; default 1 min
	QueryCache       int           // vectors of queries that are kept; default 512
	TextBytes        int           // of a tool's text, and of a query, the rest is cut; default 2,000
	TokensPerDay     int           // estimated, of tools and queries, from midnight UTC; default no limit
	RequestsPerDay   int           // likewise; default no limit
	Retention        time.Duration // how long vectors are kept that nobody uses; default 30 days
	ToolPrefix       string        // what the model wants before a document, as "passage: "
	QueryPrefix      string        // what the model wants before a query, as "query: "
}

func (o Options) withDefaults() Options {
	o.BatchSize = cmp.Or(o.BatchSize, 32)
	o.Concurrency = cmp.Or(o.Concurrency, 2)
	o.QueryConcurrency = cmp.Or(o.QueryConcurrency, 16)
	o.EmbedTimeout = cmp.Or(o.EmbedTimeout, 30*time.Second)
	o.QueryTimeout = cmp.Or(o.QueryTimeout, 300*time.Millisecond)
	o.StoreTimeout = cmp.Or(o.StoreTimeout, 30*time.Second)
	o.FirstPause = cmp.Or(o.FirstPause, time.Second)
	o.LastPause = cmp.Or(o.LastPause, time.Minute)
	o.QueryCache = cmp.Or(o.QueryCache, 512)
	o.TextBytes = cmp.Or(o.TextBytes, 2000)
	o.Retention = cmp.Or(o.Retention, 30*24*time.Hour)
	return o
}
