// The worker of an engine that dispatches through Kafka.

package kafka

import (
	"github.com/millrace/millrace/sdks/go/worker"
)

// NewRunner makes a worker whose jobs come through Kafka, from the topics workflow.jobs.<jobType> of its handlers. It
// has the options of every worker; those about polls have no meaning here, and WithMode says how reports go, Exchange
// or Poll. Its id names it in the audit and to Kafka: one for each process.
func NewRunner(
	engine worker.Engine, id string, handlers *worker.Registry, config Config, options ...worker.Option,
) (*worker.Worker, error) {
	connection, err := config.connection()
	if err != nil {
		return nil, err
	}
	made := &source{clientID: id, connection: connection, seen: newSeen(), underWay: map[string]*underWay{}}
	if handlers != nil {
		for _, jobType := range handlers.JobTypes() {
			if _, err := topicOf(jobType); err != nil {
				return nil, err
			}
		}
	}
	return worker.New(engine, id, handlers, append(options, worker.WithSource(made))...)
}
