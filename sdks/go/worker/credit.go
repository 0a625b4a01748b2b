// The credit that a stream has: places that are promised to it and that no job has taken yet.

package worker

import "sync"

type credit struct {
	mu     sync.Mutex
	places int
	closed bool
}

func newCredit(places int) *credit { return &credit{places: places} }

// take promises free places to the stream, and says how many. Nothing is promised to one that has ended.
func (c *credit) take(slots *slots, most int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0
	}
	places := slots.ask(most, 0)
	c.places += places
	return places
}

func (c *credit) spend(jobs int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.places -= jobs
}

func (c *credit) left() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.places
}

// end says how many places have to be given back; take promises none from now on.
func (c *credit) end() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	return c.places
}
