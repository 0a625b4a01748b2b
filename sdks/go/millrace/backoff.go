// How long to wait before the n-th try.

package millrace

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	backoffBase   = 100 * time.Millisecond
	backoffCap    = 30 * time.Second
	backoffJitter = 0.2
)

// Backoff is 100 ms × 2^(attempt−1), ±20 %, at most 30 s. Attempts count from 1; anything below counts as 1.
func Backoff(attempt int) time.Duration {
	return backoff(attempt, rand.Float64())
}

// backoff takes its dice, from [0, 1).
func backoff(attempt int, dice float64) time.Duration {
	plain := backoffBase
	for n := 1; n < attempt && plain < backoffCap; n++ {
		plain *= 2
	}
	jittered := float64(min(plain, backoffCap)) * (1 + backoffJitter*(2*dice-1))
	return max(0, min(backoffCap, time.Duration(jittered)))
}

// sleep returns early, with the context's error, when the context ends.
func sleep(ctx context.Context, pause time.Duration) error {
	if pause <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
