package dense

import (
	"fmt"
	"sync"
	"time"
)

// budget limits what this process embeds per day.
type budget struct {
	requestLimit, tokenLimit int // 0 means no limit

	mu               sync.Mutex
	day              time.Time
	requests, tokens int
}

// spend records the cost of a request, or returns an error if it would exceed the budget.
func (b *budget) spend(texts []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if today := time.Now().UTC().Truncate(24 * time.Hour); !today.Equal(b.day) {
		b.day, b.requests, b.tokens = today, 0, 0
	}
	tokens := 0
	for _, text := range texts {
		tokens += len(text)/4 + 1 // roughly what tokenizers yield for English
	}
	switch {
	case b.requestLimit > 0 && b.requests+1 > b.requestLimit:
		return &Error{Code: Limited, Err: fmt.Errorf("%d requests per day", b.requestLimit)}
	case b.tokenLimit > 0 && b.tokens+tokens > b.tokenLimit:
		return &Error{Code: Limited, Err: fmt.Errorf("%d tokens per day", b.tokenLimit)}
	}
	b.requests++
	b.tokens += tokens
	return nil
}
