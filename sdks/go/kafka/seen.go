// Remembers which dispatches the engine has answered, so that a message that is delivered again is not handled again.

package kafka

import "time"

const window = 10 * time.Minute

// seen is guarded by its owner.
type seen struct {
	at      map[string]time.Time
	sweptAt time.Time
}

func newSeen() *seen { return &seen{at: map[string]time.Time{}, sweptAt: time.Now()} }

// add is for a dispatch whose report was answered: it is never handled again.
func (s *seen) add(dedupID string) {
	s.sweep()
	s.at[dedupID] = time.Now()
}

func (s *seen) has(dedupID string) bool {
	at, ok := s.at[dedupID]
	return ok && time.Since(at) < window
}

func (s *seen) sweep() {
	if time.Since(s.sweptAt) < window/4 {
		return
	}
	s.sweptAt = time.Now()
	for dedupID, at := range s.at {
		if time.Since(at) >= window {
			delete(s.at, dedupID)
		}
	}
}
