package millrace

import (
	"testing"
	"time"
)

func TestBackoff(t *testing.T) {
	t.Run("C-111: 100 ms doubles with every attempt, up to 30 s", func(t *testing.T) {
		for attempt, want := range map[int]time.Duration{
			1: 100 * time.Millisecond, 2: 200 * time.Millisecond, 5: 1600 * time.Millisecond, 9: 25600 * time.Millisecond,
			10: 30 * time.Second, 1000: 30 * time.Second,
		} {
			if got := backoff(attempt, 0.5); got != want {
				t.Errorf("attempt %d: %v, want %v", attempt, got, want)
			}
		}
	})
	t.Run("C-111: an attempt below 1 counts as 1", func(t *testing.T) {
		for _, attempt := range []int{0, -1, -1000} {
			if got := backoff(attempt, 0.5); got != 100*time.Millisecond {
				t.Errorf("attempt %d: %v", attempt, got)
			}
		}
	})
	t.Run("C-111: 20 % more or less, never above 30 s", func(t *testing.T) {
		if got := backoff(1, 0); got != 80*time.Millisecond {
			t.Errorf("least: %v", got)
		}
		if got := backoff(1, 0.9999999); got > 120*time.Millisecond || got < 119*time.Millisecond {
			t.Errorf("most: %v", got)
		}
		if got := backoff(20, 0.9999999); got != 30*time.Second {
			t.Errorf("cap: %v", got)
		}
		for range 1000 {
			if got := Backoff(3); got < 320*time.Millisecond || got > 480*time.Millisecond {
				t.Fatalf("attempt 3: %v", got)
			}
		}
	})
}
