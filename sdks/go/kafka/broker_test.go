package kafka

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"google.golang.org/protobuf/proto"

	"github.com/millrace/millrace/sdks/go/workflowv1"
)

// broker is a real Kafka, started once for all tests of the package that need one.
type broker struct {
	folder    string
	plaintext Config
	secured   Config
	client    *kgo.Client
}

var shared *broker

func TestMain(m *testing.M) {
	code := m.Run()
	if shared != nil {
		shared.client.Close()
		_ = exec.Command("../../../tools/kafka.sh", "stop", "--dir", shared.folder).Run()
	}
	os.Exit(code)
}

// useKafka skips by name unless MILLRACE_FULL_TESTS is set and there is a Java.
func useKafka(t *testing.T) *broker {
	t.Helper()
	if os.Getenv("MILLRACE_FULL_TESTS") == "" || exec.Command("java", "-version").Run() != nil {
		t.Skip("needs Java and Kafka: set MILLRACE_FULL_TESTS=1")
	}
	if shared == nil {
		shared = startBroker(t)
	}
	return shared
}

func startBroker(t *testing.T) *broker {
	folder, err := os.MkdirTemp("", "millrace-go-kafka-")
	must(t, err)
	out, err := exec.Command("../../../tools/kafka.sh", "start", "--port", "0", "--secure", "--dir", folder).Output()
	must(t, err)
	said := map[string]string{}
	for lines := bufio.NewScanner(strings.NewReader(string(out))); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), "=")
		said[name] = value
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(said["KAFKA_BOOTSTRAP"]))
	must(t, err)
	return &broker{
		folder: folder, client: client,
		plaintext: Config{Brokers: []string{said["KAFKA_BOOTSTRAP"]}, Transport: Plaintext},
		secured: Config{
			Brokers: []string{said["KAFKA_SASL_SSL"]}, Transport: SaslScramTLS,
			Username: said["KAFKA_USER"], Password: said["KAFKA_PASSWORD"], CAPath: said["KAFKA_CA"],
		},
	}
}

func (b *broker) run(t *testing.T, words ...string) {
	t.Helper()
	said, err := exec.Command("../../../tools/kafka.sh", append(words, "--dir", b.folder)...).CombinedOutput()
	if err != nil {
		t.Fatalf("kafka.sh %v: %v\n%s", words, err, said)
	}
}

func (b *broker) createTopic(t *testing.T, name string, partitions int32) {
	t.Helper()
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = name, partitions, 1
	request := kmsg.NewPtrCreateTopicsRequest()
	request.Topics = append(request.Topics, topic)
	answer, err := request.RequestWith(context.Background(), b.client)
	must(t, err)
	must(t, kerr.ErrorForCode(answer.Topics[0].ErrorCode))
}

func (b *broker) produce(t *testing.T, topic string, events ...*workflowv1.JobDispatchEvent) {
	t.Helper()
	for _, event := range events {
		value, err := proto.Marshal(event)
		must(t, err)
		b.write(t, &kgo.Record{Topic: topic, Key: []byte(event.GetInstanceId()), Value: value})
	}
}

func (b *broker) write(t *testing.T, record *kgo.Record) {
	t.Helper()
	must(t, b.client.ProduceSync(context.Background(), record).FirstErr())
}

// committed is the sum of what a group has committed; -1 while the broker cannot say it yet.
func (b *broker) committed(group string) int64 {
	asked := kmsg.NewOffsetFetchRequestGroup()
	asked.Group = group
	request := kmsg.NewPtrOffsetFetchRequest()
	request.Groups = append(request.Groups, asked)
	answer, err := request.RequestWith(context.Background(), b.client)
	if err != nil || answer.Groups[0].ErrorCode != 0 {
		return -1
	}
	var sum int64
	for _, topic := range answer.Groups[0].Topics {
		for _, partition := range topic.Partitions {
			sum += max(0, partition.Offset)
		}
	}
	return sum
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
