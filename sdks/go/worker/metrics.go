// The metrics of a worker, under the names that every SDK uses, in Prometheus' text format.

package worker

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Metrics is told what a worker does. Implementations must be quick and safe for several goroutines.
type Metrics interface {
	// Polled: from asking for jobs to the answer, the engine's waiting included.
	Polled(took time.Duration, jobs int)
	// LockConflict: a report or a heartbeat was refused because the lease was lost.
	LockConflict(jobType string)
	// Handled: a handler ran for this long.
	Handled(jobType string, took time.Duration)
	// Retried: a failure was reported as retryable.
	Retried(jobType string)
	// Completed: the engine accepted a report; outcome is "success" or "failure".
	Completed(jobType, outcome string)
}

// NoMetrics measures nothing.
type NoMetrics struct{}

// Polled does nothing.
func (NoMetrics) Polled(time.Duration, int) {}

// LockConflict does nothing.
func (NoMetrics) LockConflict(string) {}

// Handled does nothing.
func (NoMetrics) Handled(string, time.Duration) {}

// Retried does nothing.
func (NoMetrics) Retried(string) {}

// Completed does nothing.
func (NoMetrics) Completed(string, string) {}

var (
	pollBounds    = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10, 20, 30}
	handlerBounds = []float64{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300}
)

// Prometheus counts for a scrape; it may be shared between workers. It is an http.Handler.
type Prometheus struct {
	mu        sync.Mutex
	poll      histogram
	conflicts counter
	handler   histogram
	retries   counter
	completed counter
}

// NewPrometheus has counted nothing yet.
func NewPrometheus() *Prometheus {
	return &Prometheus{
		poll: newHistogram("workflow_sdk_poll_latency_seconds",
			"Time from asking for jobs to the answer, the engine's waiting included.", pollBounds),
		conflicts: newCounter("workflow_sdk_lock_conflicts_total",
			"Reports and heartbeats refused because the lease was lost.", ""),
		handler: newHistogram("workflow_sdk_handler_latency_seconds", "Time handlers ran.", handlerBounds),
		retries: newCounter("workflow_sdk_retries_total", "Failures reported as retryable."),
		completed: newCounter("workflow_sdk_jobs_completed_total",
			"Jobs whose report the engine accepted."),
	}
}

// Polled counts a poll.
func (p *Prometheus) Polled(took time.Duration, _ int) {
	p.locked(func() { p.poll.observe("", took.Seconds()) })
}

// LockConflict counts a lost lease.
func (p *Prometheus) LockConflict(string) { p.locked(func() { p.conflicts.values[""]++ }) }

// Handled counts a run of a handler.
func (p *Prometheus) Handled(jobType string, took time.Duration) {
	p.locked(func() { p.handler.observe(label("job_type", jobType), took.Seconds()) })
}

// Retried counts a retryable failure.
func (p *Prometheus) Retried(jobType string) {
	p.locked(func() { p.retries.values[label("job_type", jobType)]++ })
}

// Completed counts an accepted report.
func (p *Prometheus) Completed(jobType, outcome string) {
	p.locked(func() { p.completed.values[label("job_type", jobType)+","+label("outcome", outcome)]++ })
}

// ServeHTTP answers a scrape.
func (p *Prometheus) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = io.WriteString(w, p.Text())
}

// Text is everything that was counted, in Prometheus' text format.
func (p *Prometheus) Text() string {
	var out strings.Builder
	p.locked(func() {
		p.poll.write(&out)
		p.conflicts.write(&out)
		p.handler.write(&out)
		p.retries.write(&out)
		p.completed.write(&out)
	})
	return out.String()
}

func (p *Prometheus) locked(count func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	count()
}

type counter struct {
	name, help string
	values     map[string]int
}

// newCounter begins at 0 for the series that are named.
func newCounter(name, help string, series ...string) counter {
	c := counter{name: name, help: help, values: map[string]int{}}
	for _, one := range series {
		c.values[one] = 0
	}
	return c
}

func (c counter) write(out *strings.Builder) {
	head(out, c.name, c.help, "counter")
	for _, series := range sorted(c.values) {
		fmt.Fprintf(out, "%s%s %d\n", c.name, braced(series), c.values[series])
	}
}

type distribution struct {
	counts []int
	sum    float64
	count  int
}

type histogram struct {
	name, help string
	bounds     []float64
	series     map[string]*distribution
}

func newHistogram(name, help string, bounds []float64) histogram {
	return histogram{name: name, help: help, bounds: bounds, series: map[string]*distribution{}}
}

func (h histogram) observe(series string, value float64) {
	d, ok := h.series[series]
	if !ok {
		d = &distribution{counts: make([]int, len(h.bounds))}
		h.series[series] = d
	}
	if at, _ := slices.BinarySearch(h.bounds, value); at < len(h.bounds) {
		d.counts[at]++
	}
	d.sum += value
	d.count++
}

func (h histogram) write(out *strings.Builder) {
	head(out, h.name, h.help, "histogram")
	for _, series := range sorted(h.series) {
		d, upTo := h.series[series], 0
		for i, bound := range h.bounds {
			upTo += d.counts[i]
			le := label("le", strconv.FormatFloat(bound, 'g', -1, 64))
			fmt.Fprintf(out, "%s_bucket%s %d\n", h.name, braced(joined(series, le)), upTo)
		}
		fmt.Fprintf(out, "%s_bucket%s %d\n", h.name, braced(joined(series, label("le", "+Inf"))), d.count)
		fmt.Fprintf(out, "%s_sum%s %g\n%s_count%s %d\n", h.name, braced(series), d.sum, h.name, braced(series), d.count)
	}
}

func head(out *strings.Builder, name, help, kind string) {
	fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func label(name, value string) string { return name + `="` + escaper.Replace(value) + `"` }

func joined(series, more string) string {
	if series == "" {
		return more
	}
	return series + "," + more
}

func braced(series string) string {
	if series == "" {
		return ""
	}
	return "{" + series + "}"
}

func sorted[V any](values map[string]V) []string {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
