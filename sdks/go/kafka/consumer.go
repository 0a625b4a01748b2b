// The consumer of one job type: what its group gives it and takes from it, and the offsets that it commits.

package kafka

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/millrace/millrace/sdks/go/millrace"
)

const (
	// A member that is gone is noticed after this time, and its partitions go to another.
	sessionTimeout = 15 * time.Second
	// A topic that is made later is found after this time.
	metadataAge = 5 * time.Second
	// How long a last commit may take.
	commitPatience = 10 * time.Second
)

type consumer struct {
	source *source
	topic  string
	client *kgo.Client
	// due has room for one: a second call before the commit changes nothing.
	due chan struct{}
	// lanes by partition, guarded by the source.
	lanes map[int32]*lane
	group sync.WaitGroup
	stop  context.CancelFunc
}

func newConsumer(s *source, jobType string) (*consumer, error) {
	topic, err := topicOf(jobType)
	if err != nil {
		return nil, err
	}
	c := &consumer{source: s, topic: topic, due: make(chan struct{}, 1), lanes: map[int32]*lane{}}
	options := append([]kgo.Opt{
		kgo.ClientID(s.clientID), kgo.ConsumerGroup(groupOf(jobType)), kgo.ConsumeTopics(topic),
		kgo.Balancers(kgo.CooperativeStickyBalancer()), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(),
		kgo.SessionTimeout(sessionTimeout), kgo.MetadataMaxAge(metadataAge), kgo.MetadataMinAge(time.Second / 4),
		kgo.OnPartitionsAssigned(c.assigned), kgo.OnPartitionsRevoked(c.revoked), kgo.OnPartitionsLost(c.lost),
	}, s.connection...)
	c.client, err = kgo.NewClient(options...)
	return c, err
}

func (c *consumer) start() {
	var ctx context.Context
	ctx, c.stop = context.WithCancel(context.Background())
	c.group.Go(func() { c.greet(ctx) })
	c.group.Go(func() { c.poll(ctx) })
	c.group.Go(func() { c.commitAll(ctx) })
}

// close commits what is done; then others get the partitions.
func (c *consumer) close() {
	c.stop()
	c.group.Wait()
	c.commitDue(c.all())
	c.client.CloseAllowingRebalance()
}

// greet says what is wrong while no broker can be spoken to: the client itself goes on trying without a word.
func (c *consumer) greet(ctx context.Context) {
	for tries := 1; ctx.Err() == nil; tries++ {
		err := c.client.Ping(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		c.log().Warn("a consumer of Kafka cannot begin, trying again", "error", explain(err))
		wait(ctx, max(time.Second, millrace.Backoff(tries)))
	}
}

func (c *consumer) poll(ctx context.Context) {
	for ctx.Err() == nil {
		askedAt := time.Now()
		fetches := c.client.PollFetches(ctx)
		if ctx.Err() != nil {
			return
		}
		c.source.desk.Metrics().Polled(time.Since(askedAt), fetches.NumRecords())
		fetches.EachError(func(_ string, partition int32, err error) {
			c.log().Warn("a consumer of Kafka failed, trying again", "partition", partition, "error", explain(err))
			wait(ctx, time.Second)
		})
		c.take(fetches)
		c.client.AllowRebalance()
		c.source.beginAll()
	}
}

// take puts messages into the lanes of their partitions; a lane that is full is fetched no further.
func (c *consumer) take(fetches kgo.Fetches) {
	c.source.mu.Lock()
	defer c.source.mu.Unlock()
	fetches.EachPartition(func(fetched kgo.FetchTopicPartition) {
		owned := c.lanes[fetched.Partition]
		if owned == nil || len(fetched.Records) == 0 {
			return
		}
		owned.take(fetched.Records)
		if owned.isFull() && !owned.isPaused {
			owned.isPaused = true
			c.client.PauseFetchPartitions(map[string][]int32{c.topic: {fetched.Partition}})
		}
	})
}

// finished is called with the lock of the source held.
func (c *consumer) finished(one *lane) {
	if one.isPaused && !one.isFull() {
		one.isPaused = false
		c.client.ResumeFetchPartitions(map[string][]int32{c.topic: {one.partition}})
	}
	select {
	case c.due <- struct{}{}:
	default:
	}
}

func (c *consumer) commitAll(ctx context.Context) {
	for failures := 0; ; {
		select {
		case <-c.due:
		case <-ctx.Done():
			return
		}
		if err := c.commitDue(c.all()); err != nil {
			failures++
			c.log().Warn("offsets were not committed, trying again", "error", explain(err))
			wait(ctx, millrace.Backoff(failures))
			c.ring()
			continue
		}
		failures = 0
	}
}

func (c *consumer) ring() {
	select {
	case c.due <- struct{}{}:
	default:
	}
}

func (c *consumer) all() []*lane {
	c.source.mu.Lock()
	defer c.source.mu.Unlock()
	lanes := make([]*lane, 0, len(c.lanes))
	for _, one := range c.lanes {
		lanes = append(lanes, one)
	}
	return lanes
}

// commitDue commits of each lane what is done from the first message on.
func (c *consumer) commitDue(lanes []*lane) error {
	offsets := c.dueOf(lanes)
	if len(offsets) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), commitPatience)
	defer cancel()
	var failed error
	c.client.CommitOffsetsSync(ctx, map[string]map[int32]kgo.EpochOffset{c.topic: offsets}, commitVerdict(&failed))
	if failed != nil {
		return failed
	}
	c.source.mu.Lock()
	defer c.source.mu.Unlock()
	for _, one := range lanes {
		if at, ok := offsets[one.partition]; ok {
			one.committed = at.Offset
		}
	}
	return nil
}

func (c *consumer) dueOf(lanes []*lane) map[int32]kgo.EpochOffset {
	c.source.mu.Lock()
	defer c.source.mu.Unlock()
	offsets := map[int32]kgo.EpochOffset{}
	for _, one := range lanes {
		if one.isDue() {
			offsets[one.partition] = kgo.EpochOffset{Epoch: one.epoch, Offset: one.handled()}
		}
	}
	return offsets
}

func (c *consumer) assigned(_ context.Context, _ *kgo.Client, given map[string][]int32) {
	c.source.mu.Lock()
	defer c.source.mu.Unlock()
	for _, partition := range given[c.topic] {
		c.lanes[partition] = newLane(c.topic, partition)
	}
}

// revoked commits what is done before others get the partitions; what is not done is theirs.
func (c *consumer) revoked(_ context.Context, _ *kgo.Client, taken map[string][]int32) {
	lanes := c.give(taken[c.topic])
	if err := c.commitDue(lanes); err != nil {
		c.log().Warn("offsets were not committed before partitions went away", "error", explain(err))
	}
}

func (c *consumer) lost(_ context.Context, _ *kgo.Client, taken map[string][]int32) {
	c.give(taken[c.topic])
}

// give tells the handlers of partitions that are no longer this member's to stop.
func (c *consumer) give(partitions []int32) []*lane {
	c.source.mu.Lock()
	defer c.source.mu.Unlock()
	var lanes []*lane
	for _, partition := range partitions {
		if one := c.lanes[partition]; one != nil {
			lanes = append(lanes, one)
			delete(c.lanes, partition)
			one.revoke()
		}
	}
	return lanes
}

func (c *consumer) log() *slog.Logger { return c.source.desk.Log().With("topic", c.topic) }

// wait returns early when the context ends.
func wait(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// explain adds what to do about the faults of a set-up.
func explain(err error) error {
	switch {
	case errors.Is(err, kerr.SaslAuthenticationFailed):
		return errors.Join(errors.New("the user or the password was refused by Kafka: correct them in the Config"), err)
	case errors.Is(err, kerr.UnknownTopicOrPartition):
		return errors.Join(errors.New("the topic does not exist: `millrace kafka topics` makes it"), err)
	case errors.Is(err, kerr.InconsistentGroupProtocol):
		return errors.Join(errors.New("members of another kind are in the group: workers of a job type are of one SDK"), err)
	}
	return err
}
