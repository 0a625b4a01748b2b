// Counts what a worker may still take on, and tells when that changes.

package worker

import "sync"

// slots: free = capacity − running − asked. A request asks only for free places, so its answer always fits.
type slots struct {
	mu       sync.Mutex
	capacity int
	running  int
	asked    int
	changed  chan struct{}
}

func newSlots(capacity int) *slots {
	return &slots{capacity: capacity, changed: make(chan struct{})}
}

// ask promises up to most of the free places that are left beyond spoken to a request, and says how many.
func (s *slots) ask(most, spoken int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	places := max(0, min(most, s.capacity-s.running-s.asked-spoken))
	s.asked += places
	return places
}

// answered gives promised places back and takes those of the jobs that came.
func (s *slots) answered(places, jobs int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked -= places
	s.running += jobs
	s.ring()
}

func (s *slots) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	s.ring()
}

func (s *slots) counts() (running, asked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running, s.asked
}

// next is closed at the next change. Take it before looking at what may have changed.
func (s *slots) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// wake lets everyone who waits for a change look again.
func (s *slots) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ring()
}

func (s *slots) ring() {
	close(s.changed)
	s.changed = make(chan struct{})
}
