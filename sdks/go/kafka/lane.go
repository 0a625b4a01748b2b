// What a member of a group has of one partition: messages that wait, which of them may begin, and how far all is done.

package kafka

import (
	"context"

	"github.com/twmb/franz-go/pkg/kgo"
)

// mostAhead is how far messages are fetched beyond the first that is not done.
const mostAhead = 1000

// lane is guarded by its owner. Its context ends when the partition goes to another member.
type lane struct {
	topic     string
	partition int32
	ctx       context.Context
	revoke    context.CancelFunc

	waiting []*kgo.Record
	// open has the offsets that are not done, lowest first.
	open     []int64
	done     map[int64]bool
	busyKeys map[string]bool
	// position is behind the last message that came, epoch that of its leader; -1 before the first.
	position int64
	epoch    int32
	// first is the offset of the first message that came; -1 before.
	first     int64
	committed int64
	isPaused  bool
}

func newLane(topic string, partition int32) *lane {
	ctx, revoke := context.WithCancel(context.Background())
	return &lane{
		topic: topic, partition: partition, ctx: ctx, revoke: revoke,
		done: map[int64]bool{}, busyKeys: map[string]bool{}, position: -1, first: -1, committed: -1,
	}
}

func (l *lane) take(records []*kgo.Record) {
	if l.first < 0 && len(records) > 0 {
		l.first = records[0].Offset
	}
	for _, record := range records {
		l.waiting = append(l.waiting, record)
		l.open = append(l.open, record.Offset)
		l.position, l.epoch = record.Offset+1, record.LeaderEpoch
	}
}

// handled is the offset before which all is done; -1 where nothing came yet.
func (l *lane) handled() int64 {
	if len(l.open) > 0 {
		return l.open[0]
	}
	return l.position
}

func (l *lane) isFull() bool { return l.position-l.handled() >= mostAhead }

// isDue: more is done than the group knows.
func (l *lane) isDue() bool { return l.first >= 0 && l.handled() > max(l.first, l.committed) }

// next is the first message whose key has none under way: those of one key are handled one after the other.
func (l *lane) next() *kgo.Record {
	for _, record := range l.waiting {
		if record.Key == nil || !l.busyKeys[string(record.Key)] {
			return record
		}
	}
	return nil
}

// begin: the message is under way until finish.
func (l *lane) begin(record *kgo.Record) {
	for i, one := range l.waiting {
		if one == record {
			l.waiting = append(l.waiting[:i:i], l.waiting[i+1:]...)
			break
		}
	}
	if record.Key != nil {
		l.busyKeys[string(record.Key)] = true
	}
}

func (l *lane) finish(record *kgo.Record) {
	delete(l.busyKeys, string(record.Key))
	l.done[record.Offset] = true
	for len(l.open) > 0 && l.done[l.open[0]] {
		delete(l.done, l.open[0])
		l.open = l.open[1:]
	}
}
