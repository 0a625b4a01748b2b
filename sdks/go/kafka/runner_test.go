package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/millrace/millrace/sdks/go/millrace"
	"github.com/millrace/millrace/sdks/go/worker"
	"github.com/millrace/millrace/sdks/go/workflowv1"
)

// lab has a topic of its own for each test.
type lab struct {
	*broker
	t       *testing.T
	engine  *fakeEngine
	jobType string
	log     *lines
}

func newLab(t *testing.T, partitions int32) *lab {
	b := useKafka(t)
	jobType := fmt.Sprintf("go-%d", time.Now().UnixNano())
	b.createTopic(t, "workflow.jobs."+jobType, partitions)
	return &lab{broker: b, t: t, engine: &fakeEngine{verdict: "accepted"}, jobType: jobType, log: &lines{}}
}

func (l *lab) event(n int) *workflowv1.JobDispatchEvent {
	id := fmt.Sprintf("%d", n)
	return &workflowv1.JobDispatchEvent{
		SchemaVersion: 1, DedupId: l.jobType + "-dispatch-" + id, JobId: "job-" + id, InstanceId: "instance-" + id,
		JobType: l.jobType, LeaseToken: "token-" + id, Attempt: 1, JobPayload: []byte(`{"n":` + id + `}`),
	}
}

func (l *lab) send(events ...*workflowv1.JobDispatchEvent) {
	l.produce(l.t, "workflow.jobs."+l.jobType, events...)
}

func (l *lab) start(handler worker.Handler, options ...worker.Option) *worker.Worker {
	return l.startWith(l.plaintext, handler, options...)
}

func (l *lab) startWith(config Config, handler worker.Handler, options ...worker.Option) *worker.Worker {
	l.t.Helper()
	handlers := worker.Handlers(map[string]worker.Handler{l.jobType: handler})
	logger := worker.WithLogger(slog.New(slog.NewTextHandler(l.log, nil)))
	made, err := NewRunner(l.engine, "w", handlers, config, append(options, logger)...)
	must(l.t, err)
	must(l.t, made.Start())
	l.t.Cleanup(func() { made.Stop(ended()) })
	return made
}

func (l *lab) hasCommitted() int64 { return l.committed("workflow.workers." + l.jobType) }

func (l *lab) untilCommitted(offset int64) {
	l.t.Helper()
	until(l.t, func() bool { return l.hasCommitted() == offset })
}

// until looks again until it is so. The deadline of the test run says when to give up.
func until(t *testing.T, isSo func() bool) {
	t.Helper()
	for !isSo() {
		select {
		case <-t.Context().Done():
			t.FailNow()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// list is of things that handlers saw.
type list struct {
	mu    sync.Mutex
	items []string
}

func (l *list) add(item string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = append(l.items, item)
}

func (l *list) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.items)
}

type lines struct{ list }

func (l *lines) Write(line []byte) (int, error) {
	l.add(string(line))
	return len(line), nil
}

func (l *lines) has(text string) bool { return strings.Contains(strings.Join(l.all(), ""), text) }

func TestKafkaRunner(t *testing.T) {
	t.Run("C-94 C-112: earlier messages are handled, reported with their token, then committed", func(t *testing.T) {
		lab := newLab(t, 1)
		lab.send(lab.event(1), lab.event(2))
		lab.start(func(_ context.Context, job millrace.Job) (millrace.Variables, error) {
			return millrace.Variables{"saw": job.Variables["n"]}, nil
		})
		lab.untilCommitted(2)
		for _, one := range lab.engine.reported {
			n := strings.TrimPrefix(one.JobID, "job-")
			if one.LeaseToken != "token-"+n || fmt.Sprint(one.Variables["saw"]) != n {
				t.Errorf("reported %+v", one)
			}
		}
	})

	t.Run("W-25: variables that had no room in the message are asked for before the handler runs", func(t *testing.T) {
		lab := newLab(t, 1)
		lab.engine.kept = map[string]millrace.Variables{"job-1": {"n": 41.0}}
		lab.engine.setAway(true)
		large, lost := lab.event(1), lab.event(2)
		for _, event := range []*workflowv1.JobDispatchEvent{large, lost} {
			event.PayloadOmitted, event.JobPayload = true, []byte("{}")
		}
		lab.send(large, lost)
		var saw list
		lab.start(func(_ context.Context, job millrace.Job) (millrace.Variables, error) {
			saw.add(fmt.Sprint(job.ID, " ", job.Variables["n"]))
			return nil, nil
		})
		until(t, func() bool { return len(lab.engine.askedFor()) > 2 })
		if len(saw.all()) > 0 {
			t.Errorf("handled without variables: %v", saw.all())
		}
		lab.engine.setAway(false)
		lab.untilCommitted(2)
		if !slices.Equal(saw.all(), []string{"job-1 41"}) {
			t.Errorf("handled %v", saw.all())
		}
		if one := lab.engine.askedFor()[0]; one.LeaseToken == "" || one.WorkerID == "" {
			t.Errorf("asked %+v", one)
		}
	})

	t.Run("C-113: while the engine does not answer, a report is sent again and nothing is committed", func(t *testing.T) {
		lab := newLab(t, 1)
		lab.engine.isAway = true
		lab.send(lab.event(1))
		var handled list
		lab.start(func(_ context.Context, job millrace.Job) (millrace.Variables, error) {
			handled.add(job.ID)
			return nil, nil
		})
		until(t, func() bool { return lab.engine.tries() >= 3 })
		if at := lab.hasCommitted(); at != 0 {
			t.Errorf("committed %d", at)
		}
		lab.engine.setAway(false)
		lab.untilCommitted(1)
		if got := handled.all(); len(got) != 1 {
			t.Errorf("handled %v", got)
		}
	})

	t.Run("C-113: a dispatch whose report never arrived is handled again by the next worker", func(t *testing.T) {
		lab := newLab(t, 1)
		lab.engine.isAway = true
		lab.send(lab.event(1))
		nothing := func(context.Context, millrace.Job) (millrace.Variables, error) { return nil, nil }
		first := lab.start(nothing)
		until(t, func() bool { return lab.engine.tries() > 0 })
		if first.Stop(ended()).Drained {
			t.Error("it drained")
		}
		lab.engine.setAway(false)
		lab.start(nothing)
		lab.untilCommitted(1)
	})

	t.Run("C-112: a dispatch that was answered is not handled again; another of the same job is", func(t *testing.T) {
		lab := newLab(t, 1)
		var handled list
		lab.start(func(_ context.Context, job millrace.Job) (millrace.Variables, error) {
			handled.add(fmt.Sprint(job.Attempt))
			return nil, nil
		})
		lab.send(lab.event(1))
		lab.untilCommitted(1)
		again := lab.event(1)
		again.DedupId, again.Attempt = "again-"+lab.jobType, 2
		lab.send(lab.event(1), again)
		lab.untilCommitted(3)
		if got := handled.all(); !slices.Equal(got, []string{"1", "2"}) {
			t.Errorf("handled %v", got)
		}
	})

	t.Run("C-113: a report that the engine calls stale was answered: the message is committed", func(t *testing.T) {
		lab := newLab(t, 1)
		lab.engine.verdict = "stale"
		lab.send(lab.event(1))
		lab.start(func(context.Context, millrace.Job) (millrace.Variables, error) { return nil, nil })
		lab.untilCommitted(1)
	})

	t.Run("C-112: what is no dispatch is skipped, and a job without a token is reported without", func(t *testing.T) {
		lab := newLab(t, 1)
		bare := lab.event(2)
		bare.LeaseToken = ""
		lab.write(t, &kgo.Record{Topic: "workflow.jobs." + lab.jobType, Value: []byte{0xff, 0xff}})
		lab.send(bare)
		lab.start(func(context.Context, millrace.Job) (millrace.Variables, error) { return nil, nil })
		lab.untilCommitted(2)
		if !lab.log.has("no dispatch of a job") || !slices.Equal(lab.engine.singles, []string{"job-2 "}) {
			t.Errorf("singles %v, log %v", lab.engine.singles, lab.log.all())
		}
	})
}

func TestKafkaRunnerPlaces(t *testing.T) {
	t.Run("C-107: messages of one instance come one after the other, of others beside them", func(t *testing.T) {
		lab := newLab(t, 1)
		events := []*workflowv1.JobDispatchEvent{lab.event(1), lab.event(2), lab.event(3), lab.event(4)}
		events[0].InstanceId, events[1].InstanceId = "one", "one"
		lab.send(events...)
		var begun list
		gates := map[string]chan struct{}{}
		for n := range 4 {
			gates[fmt.Sprintf("job-%d", n+1)] = make(chan struct{})
		}
		lab.start(func(_ context.Context, job millrace.Job) (millrace.Variables, error) {
			begun.add(job.ID)
			<-gates[job.ID]
			return nil, nil
		}, worker.WithConcurrency(2))
		until(t, func() bool { return len(begun.all()) == 2 })
		close(gates["job-3"])
		until(t, func() bool { return slices.Contains(begun.all(), "job-4") })
		close(gates["job-4"])
		until(t, func() bool { return len(lab.engine.done()) == 2 })
		if at := lab.hasCommitted(); at != 0 || slices.Contains(begun.all(), "job-2") {
			t.Errorf("committed %d, begun %v", at, begun.all())
		}
		close(gates["job-1"])
		lab.untilCommitted(1)
		close(gates["job-2"])
		lab.untilCommitted(4)
	})

	t.Run("C-110: a stop lets handlers end, reports and commits them, and begins no more", func(t *testing.T) {
		lab := newLab(t, 1)
		lab.send(lab.event(1), lab.event(2))
		begun, gate := make(chan string, 2), make(chan struct{})
		runner := lab.start(func(_ context.Context, job millrace.Job) (millrace.Variables, error) {
			begun <- job.ID
			<-gate
			return nil, nil
		}, worker.WithConcurrency(1))
		<-begun
		stopped := make(chan worker.Result)
		go func() { stopped <- runner.Stop(context.Background()) }()
		close(gate)
		// The second may have begun before the stop; then it has ended as well.
		if result := <-stopped; !result.Drained || lab.hasCommitted() != int64(1+len(begun)) {
			t.Errorf("%+v, committed %d", result, lab.hasCommitted())
		}
	})

	t.Run("C-94: a worker that comes takes partitions over; what ran of them is told to stop", func(t *testing.T) {
		lab := newLab(t, 4)
		for n := range 24 {
			lab.send(lab.event(n))
		}
		var begun, told, late list
		gate := make(chan struct{})
		lab.start(func(ctx context.Context, job millrace.Job) (millrace.Variables, error) {
			begun.add(job.ID)
			select {
			case <-gate:
				return nil, nil
			case <-ctx.Done():
				told.add(job.ID)
				return nil, ctx.Err()
			}
		})
		until(t, func() bool { return len(begun.all()) == 24 })
		lab.start(func(_ context.Context, job millrace.Job) (millrace.Variables, error) {
			late.add(job.ID)
			return nil, nil
		})
		until(t, func() bool { return len(told.all()) > 0 && len(late.all()) > 0 })
		close(gate)
		lab.untilCommitted(24)
		if ids := lab.engine.done(); len(ids) != 24 {
			t.Errorf("%d are done", len(ids))
		}
	})
}

func TestKafkaRunnerOutage(t *testing.T) {
	t.Run("handlers outlive an outage of the broker, run once, and later messages come", func(t *testing.T) {
		lab := newLab(t, 1)
		lab.send(lab.event(1))
		var begun list
		gate := make(chan struct{})
		lab.start(func(_ context.Context, job millrace.Job) (millrace.Variables, error) {
			begun.add(job.ID)
			if job.ID == "job-1" {
				<-gate
			}
			return nil, nil
		})
		until(t, func() bool { return len(begun.all()) == 1 })
		lab.run(t, "kill")
		lab.run(t, "start")
		lab.send(lab.event(2))
		until(t, func() bool { return slices.Contains(begun.all(), "job-2") })
		close(gate)
		lab.untilCommitted(2)
		if got := begun.all(); len(got) != 2 {
			t.Errorf("begun %v", got)
		}
	})

	t.Run("TLS with a password serves it, and a wrong one is told with what to do", func(t *testing.T) {
		lab := newLab(t, 1)
		lab.send(lab.event(1))
		nothing := func(context.Context, millrace.Job) (millrace.Variables, error) { return nil, nil }
		wrong := lab.secured
		wrong.Password = "wrong"
		lab.startWith(wrong, nothing)
		until(t, func() bool { return lab.log.has("the user or the password was refused") })
		lab.startWith(lab.secured, nothing)
		lab.untilCommitted(1)
	})
}

func TestConfig(t *testing.T) {
	t.Run("a transport has to be named, and a password is for TLS alone", func(t *testing.T) {
		secured := Config{Brokers: []string{"127.0.0.1:1"}, Transport: SaslScramTLS, Username: "u", Password: "p"}
		for text, change := range map[string]func(*Config){
			"brokers of Kafka are needed":             func(c *Config) { c.Brokers = nil },
			"must be plaintext or sasl_scram_tls":     func(c *Config) { c.Transport = "" },
			"not for plaintext":                       func(c *Config) { c.Transport = Plaintext },
			"needs a user and a password":             func(c *Config) { c.Password = "" },
			"must be SCRAM-SHA-512 or SCRAM-SHA-256,": func(c *Config) { c.Mechanism = "MD5" },
			"no such file":                            func(c *Config) { c.CAPath = "/none.pem" },
		} {
			config := secured
			change(&config)
			if _, err := config.connection(); err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%+v: %v", config, err)
			}
		}
	})

	t.Run("W-24: a job type that can have no topic is refused with the reason", func(t *testing.T) {
		handlers := worker.Handlers(map[string]worker.Handler{
			"a:b": func(context.Context, millrace.Job) (millrace.Variables, error) { return nil, errors.New("never") },
		})
		config := Config{Brokers: []string{"127.0.0.1:1"}, Transport: Plaintext}
		_, err := NewRunner(&fakeEngine{}, "w", handlers, config)
		if err == nil || !strings.Contains(err.Error(), "no topic") {
			t.Error(err)
		}
	})
}
