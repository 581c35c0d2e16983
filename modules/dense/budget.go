package dense

import (
	"fmt"
	"sync"
	"time"
)

// budget bounds what is embedded a day, in this process.
type budget struct {
	requestLimit, tokenLimit int // 0: none

	mu               sync.Mutex
	day              time.Time
	requests, tokens int
}

// spend takes what a request costs, or refuses it.
func (b *budget) spend(texts []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if today := time.Now().UTC().Truncate(24 * time.Hour); !today.Equal(b.day) {
		b.day, b.requests, b.tokens = today, 0, 0
	}
	tokens := 0
	for _, text := range texts {
		tokens += len(text)/4 + 1 // about what tokenizers make of English
	}
	switch {
	case b.requestLimit > 0 && b.requests+1 > b.requestLimit:
		return &Error{Code: Limited, Err: fmt.Errorf("%d requests", b.requestLimit)}
	case b.tokenLimit > 0 && b.tokens+tokens > b.tokenLimit:
		return &Error{Code: Limited, Err: fmt.Errorf("%d tokens", b.tokenLimit)}
	}
	b.requests++
	b.tokens += tokens
	return nil
}
