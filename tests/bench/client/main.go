// The load generator of the benchmark: Go's HTTP client over TLS with a server name, as an API server calls a webhook.
//
// Each connection sends one review after another and waits for each answer. It prints what it saw as one JSON object, for
// several URLs one a line.
// `client start` measures a cold start instead, and `client alternate` compares what URLs add to each other.
package main

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// load is the result of one run. Times are in milliseconds.
type load struct {
	Requests int     `json:"requests"`
	Seconds  float64 `json:"seconds"`
	P50      float64 `json:"p50"`
	P99      float64 `json:"p99"`
	// Busy is how much of one core this process used.
	Busy float64 `json:"busy"`
	// Failures counts answers other than 200 and calls without an answer; Problem is the first of them.
	Failures int    `json:"failures"`
	Problem  string `json:"problem"`
	Protocol string `json:"protocol"`
	// Rates are the requests in a second of each turn.
	Rates []float64 `json:"rates"`
}

func main() {
	others := map[string]func([]string) error{"start": startTime, "alternate": alternate}
	if len(os.Args) > 1 && others[os.Args[1]] != nil {
		if err := others[os.Args[1]](os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	urls := flag.String("url", "", "where to send the reviews; several, separated by commas, are loaded in turn")
	name := flag.String("server-name", "", "the server name of the TLS handshake, as a Service has it")
	file := flag.String("body", "", "a file with the body of every request")
	connections := flag.Int("connections", 16, "callers at a time")
	seconds := flag.Float64("seconds", 2, "how long a turn is")
	turns := flag.Int("turns", 1, "how many turns each URL has; its connections stay open in between")
	pause := flag.Float64("pause", 0, "how many milliseconds a caller waits after an answer")
	most := flag.Int64("requests", 1<<62, "ends the run after so many requests to each URL")
	flag.Parse()

	body, err := os.ReadFile(*file)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	settings := &tls.Config{InsecureSkipVerify: true, ServerName: *name}
	var runs []*run
	for _, url := range strings.Split(*urls, ",") {
		each := &run{url: url, body: body, status: http.StatusOK, callers: make([]caller, *connections)}
		each.pause = time.Duration(*pause * float64(time.Millisecond))
		each.left.Store(*most)
		for index := range each.callers {
			each.callers[index].client = newClient(settings)
		}
		runs = append(runs, each)
	}
	for turn := 0; turn < *turns; turn++ {
		for index := range runs {
			if turn%2 == 1 {
				// Who comes first alternates.
				index = len(runs) - 1 - index
			}
			runs[index].load(time.Duration(*seconds * float64(time.Second)))
		}
	}
	for _, each := range runs {
		json.NewEncoder(os.Stdout).Encode(each.summarise())
	}
}

// newClient makes a client that speaks HTTP/1.1, as the API server does with a webhook that is registered by Service.
func newClient(settings *tls.Config) *http.Client {
	transport := &http.Transport{
		TLSClientConfig: settings.Clone(),
		TLSNextProto:    map[string]func(string, *tls.Conn) http.RoundTripper{},
	}
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}
}

// run is the load of one URL.
type run struct {
	url     string
	body    []byte
	status  int
	callers []caller
	end     time.Time
	left    atomic.Int64
	pause   time.Duration
	// Of all turns so far, in seconds.
	elapsed, processor float64
	rates              []float64
}

// load is one turn.
func (r *run) load(length time.Duration) {
	before, done, start := processorTime(), r.requests(), time.Now()
	r.end = start.Add(length)
	var group sync.WaitGroup
	for index := range r.callers {
		group.Add(1)
		go func() {
			defer group.Done()
			r.callers[index].call(r)
		}()
	}
	group.Wait()
	elapsed := time.Since(start).Seconds()
	r.elapsed += elapsed
	r.processor += processorTime() - before
	r.rates = append(r.rates, float64(r.requests()-done)/elapsed)
}

func (r *run) requests() int {
	sum := 0
	for index := range r.callers {
		sum += len(r.callers[index].times)
	}
	return sum
}

// caller sends one request after another.
type caller struct {
	client   *http.Client
	times    []float64
	failures int
	problem  string
	protocol string
}

func (c *caller) call(order *run) {
	for time.Now().Before(order.end) && order.left.Add(-1) >= 0 {
		sent := time.Now()
		problem := c.ask(order)
		c.times = append(c.times, float64(time.Since(sent).Nanoseconds())/1e6)
		if problem != "" {
			c.failures++
			if c.problem == "" {
				c.problem = problem
			}
		}
		if order.pause > 0 {
			time.Sleep(order.pause)
		}
	}
}

func (c *caller) ask(order *run) string {
	request, err := http.NewRequest(http.MethodPost, order.url, bytes.NewReader(order.body))
	if err != nil {
		return err.Error()
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	answer, err := c.client.Do(request)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	c.protocol = answer.Proto
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err.Error()
	}
	if answer.StatusCode != order.status {
		return answer.Status
	}
	return ""
}

func (r *run) summarise() load {
	var times []float64
	result := load{Seconds: r.elapsed, Busy: r.processor / r.elapsed, Rates: r.rates}
	for _, each := range r.callers {
		times = append(times, each.times...)
		result.Failures += each.failures
		if result.Problem == "" {
			result.Problem = each.problem
		}
		if each.protocol != "" {
			result.Protocol = each.protocol
		}
	}
	sort.Float64s(times)
	result.Requests = len(times)
	if len(times) > 0 {
		result.P50 = times[len(times)/2]
		result.P99 = times[min(len(times)-1, len(times)*99/100)]
	}
	return result
}

// processorTime is the user and system time of this process in seconds.
func processorTime() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	seconds := func(time syscall.Timeval) float64 { return float64(time.Sec) + float64(time.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}
