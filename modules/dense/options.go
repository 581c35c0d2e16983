package dense

import (
	"cmp"
	"time"
)

// Options configure a Leg. Zero values mean the defaults.
type Options struct {
	BatchSize        int           // texts per request; default 32, which every server accepts
	Concurrency      int           // concurrent requests for tools; default 2
	QueryConcurrency int           // concurrently embedded queries, more fail; default 16
	EmbedTimeout     time.Duration // per request for tools; default 30 s
	QueryTimeout     time.Duration // of Scores; default 300 ms
	StoreTimeout     time.Duration // per access to the store outside Scores; default 30 s
	FirstPause       time.Duration // before the first retry; default 1 s, then growing
	LastPause        time.Duration // maximum pause between retries; default 1 min
	QueryCache       int           // cached vectors of queries; default 512
	TextBytes        int           // maximum text of a tool or query, the rest is cut; default 2,000
	TokensPerDay     int           // estimated, for tools and queries, per UTC day; default no limit
	RequestsPerDay   int           // for tools and queries, per UTC day; default no limit
	Retention        time.Duration // how long unused vectors are kept; default 30 days
	ToolPrefix       string        // what the model expects before a document, such as "passage: "
	QueryPrefix      string        // what the model expects before a query, such as "query: "
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
