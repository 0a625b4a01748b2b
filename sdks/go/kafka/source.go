// Jobs that come through Kafka: begins their messages as places allow, and lets offsets move on once the engine has
// answered.

package kafka

import (
	"context"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/worker"
)

type source struct {
	clientID   string
	connection []kgo.Opt
	desk       *worker.Desk
	consumers  []*consumer
	group      sync.WaitGroup
	closing    sync.Once

	mu       sync.Mutex
	seen     *seen
	underWay map[string]*underWay
}

// underWay is a dispatch that is being handled, and the messages that wait for its end.
type underWay struct {
	dispatch
	// lane is the one that holds it now; it moves when the message is delivered again after a rebalance.
	lane *lane
	done []func()
	// tries counts starts; isResting says that it waits for another.
	tries int
}

// Open makes the consumers; brokers and topics need not be there yet.
func (s *source) Open(desk *worker.Desk) error {
	s.desk = desk
	for _, jobType := range desk.JobTypes() {
		made, err := newConsumer(s, jobType)
		if err != nil {
			return err
		}
		s.consumers = append(s.consumers, made)
	}
	for _, one := range s.consumers {
		one.start()
	}
	s.group.Go(s.beginAsPlacesComeFree)
	return nil
}

// Close commits what is done and leaves the groups.
func (s *source) Close() {
	s.closing.Do(func() {
		var closing sync.WaitGroup
		for _, one := range s.consumers {
			closing.Go(one.close)
		}
		closing.Wait()
		s.group.Wait()
	})
}

func (s *source) beginAsPlacesComeFree() {
	draining := s.desk.Draining()
	for draining.Err() == nil {
		changed := s.desk.Changed()
		s.beginAll()
		select {
		case <-changed:
		case <-draining.Done():
		}
	}
}

// beginAll begins what can begin.
func (s *source) beginAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.consumers {
		for _, lane := range one.lanes {
			s.beginLane(one, lane)
		}
	}
}

func (s *source) beginLane(from *consumer, lane *lane) {
	for record := lane.next(); record != nil; record = lane.next() {
		if !s.begin(from, lane, record) {
			return
		}
	}
}

// begin is false where no place is free.
func (s *source) begin(from *consumer, lane *lane, record *kgo.Record) bool {
	read, err := readDispatch(record)
	if err != nil {
		// One that can never be read is left out: it would hold up all behind it.
		s.desk.Log().Error("a message of Kafka is no dispatch of a job, skipped",
			"topic", record.Topic, "partition", record.Partition, "offset", record.Offset, "error", err)
	}
	if err != nil || s.seen.has(read.dedupID) {
		lane.begin(record)
		lane.finish(record)
		from.finished(lane)
		return true
	}
	done := func() {
		lane.finish(record)
		from.finished(lane)
	}
	if same := s.underWay[read.dedupID]; same != nil {
		lane.begin(record)
		same.lane, same.done = lane, append(same.done, done)
		return true
	}
	one := &underWay{dispatch: read, lane: lane, done: []func(){done}}
	if !s.start(one) {
		return false
	}
	lane.begin(record)
	s.underWay[read.dedupID] = one
	return true
}

func (s *source) start(one *underWay) bool {
	handed := worker.Handed{Job: one.job, IsNew: one.tries == 0, LacksVariables: one.lacksVariables}
	if !s.desk.Start(one.lane.ctx, handed, func(how worker.Ending) { s.ended(one, how) }) {
		return false
	}
	one.tries++
	return true
}

func (s *source) ended(one *underWay, how worker.Ending) {
	if how == worker.Unfinished {
		s.tryAgain(one)
		return
	}
	s.mu.Lock()
	delete(s.underWay, one.dedupID)
	s.seen.add(one.dedupID)
	for _, done := range one.done {
		done()
	}
	s.mu.Unlock()
	s.beginAll()
}

// tryAgain handles a job again whose handler gave up while the engine could not be asked: its message is not committed.
// One whose partition went away is left to the member that has it now.
func (s *source) tryAgain(one *underWay) {
	s.group.Go(func() {
		draining := s.desk.Draining()
		wait(draining, millrace.Backoff(s.triesOf(one)))
		for draining.Err() == nil {
			changed := s.desk.Changed()
			if s.retry(one) {
				return
			}
			waitFor(draining, changed)
		}
		s.forget(one)
	})
}

func (s *source) triesOf(one *underWay) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return one.tries
}

// retry is true when the job was started again, or is no longer this member's.
func (s *source) retry(one *underWay) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one.lane.ctx.Err() != nil {
		delete(s.underWay, one.dedupID)
		return true
	}
	return s.start(one)
}

func (s *source) forget(one *underWay) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.underWay, one.dedupID)
}

func waitFor(ctx context.Context, changed <-chan struct{}) {
	select {
	case <-changed:
	case <-ctx.Done():
	}
}
