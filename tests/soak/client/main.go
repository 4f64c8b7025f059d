// The client of the soak test: sends reviews over TLS at a given rate, whatever the answers take, or asks for health on a
// new connection ten times a second, as a kubelet does. These are two processes, because a client with thousands of
// connections sees a health answer late itself. It prints one JSON object for each interval, and one for the whole.
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
	"sync"
	"time"
)

// figures are what was seen in an interval. Times are in milliseconds.
type figures struct {
	Seconds float64 `json:"seconds"`
	// Due counts requests whose time had come; those for which no connection was free were not sent.
	Due     int `json:"due"`
	Unsent  int `json:"unsent"`
	Allowed int `json:"allowed"`
	Denied  int `json:"denied"`
	// Shed counts answers 503, Lost counts requests without an answer, Wrong counts all other answers.
	Shed    int     `json:"shed"`
	Lost    int     `json:"lost"`
	Wrong   int     `json:"wrong"`
	Problem string  `json:"problem"`
	P50     float64 `json:"p50"`
	P99     float64 `json:"p99"`
	// Of the answers to questions about health; HealthLost counts those without one in five seconds.
	Health     int     `json:"health"`
	HealthP50  float64 `json:"healthP50"`
	HealthP99  float64 `json:"healthP99"`
	HealthMax  float64 `json:"healthMax"`
	HealthLost int     `json:"healthLost"`
}

// seen collects the figures of one interval.
type seen struct {
	mutex   sync.Mutex
	figures figures
	times   []float64
	health  []float64
}

func main() {
	url := flag.String("url", "", "where to send the reviews")
	healthURL := flag.String("health", "", "where to ask for health; without it none is asked for")
	allowed := flag.String("allowed", "", "a file with a review that is allowed")
	denied := flag.String("denied", "", "a file with a review that is denied; every fourth is this one")
	rate := flag.Float64("rate", 100, "reviews in a second; 0: each connection sends the next one after each answer")
	connections := flag.Int("connections", 16, "connections at most; 0: no reviews are sent")
	seconds := flag.Float64("seconds", 60, "how long")
	interval := flag.Float64("interval", 60, "seconds of an interval")
	timeout := flag.Float64("timeout", 10, "seconds to wait for an answer")
	flag.Parse()

	var reviews [][]byte
	if *connections > 0 {
		reviews = [][]byte{read(*allowed), read(*denied)}
	}
	settings := &tls.Config{InsecureSkipVerify: true, ServerName: "postern.postern.svc"}
	client := &http.Client{
		Transport: &http.Transport{TLSClientConfig: settings, MaxIdleConnsPerHost: *connections, MaxConnsPerHost: *connections},
		Timeout:   time.Duration(*timeout * float64(time.Second)),
	}
	health := &http.Client{
		Transport: &http.Transport{TLSClientConfig: settings, DisableKeepAlives: true},
		Timeout:   5 * time.Second,
	}
	all, now := &seen{}, &seen{}
	note := func(add func(*seen)) {
		for _, each := range []*seen{all, now} {
			each.mutex.Lock()
			add(each)
			each.mutex.Unlock()
		}
	}
	send := func(index int) {
		isBad := index%4 == 3
		body := reviews[0]
		if isBad {
			body = reviews[1]
		}
		start := time.Now()
		status, isAllowed, problem := ask(client, *url, body)
		took := milliseconds(time.Since(start))
		note(func(s *seen) {
			switch {
			case status == 0:
				s.figures.Lost++
			case status == http.StatusServiceUnavailable:
				s.figures.Shed++
				return
			case status != http.StatusOK || isAllowed == isBad:
				s.figures.Wrong++
				problem = fmt.Sprintf("status %d, allowed %v", status, isAllowed)
			case isBad:
				s.figures.Denied++
			default:
				s.figures.Allowed++
			}
			if problem != "" {
				s.figures.Problem = problem
			} else {
				s.times = append(s.times, took)
			}
		})
	}

	start := time.Now()
	end := start.Add(time.Duration(*seconds * float64(time.Second)))
	var group sync.WaitGroup
	group.Add(1)
	go func() {
		defer group.Done()
		for at := start; *healthURL != "" && at.Before(end); at = at.Add(100 * time.Millisecond) {
			time.Sleep(time.Until(at))
			group.Add(1)
			go func() {
				defer group.Done()
				begin := time.Now()
				answer, err := health.Get(*healthURL)
				if err == nil {
					io.Copy(io.Discard, answer.Body)
					answer.Body.Close()
				}
				took := milliseconds(time.Since(begin))
				note(func(s *seen) {
					if err != nil || answer.StatusCode != http.StatusOK {
						s.figures.HealthLost++
					} else {
						s.health = append(s.health, took)
					}
				})
			}()
		}
	}()
	work := make(chan int)
	for index := 0; index < *connections; index++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for index := range work {
				send(index)
			}
		}()
	}
	print := func(s *seen, seconds float64) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.figures.Seconds = seconds
		s.figures.Health = len(s.health)
		s.figures.P50, s.figures.P99 = at(s.times, 0.5), at(s.times, 0.99)
		s.figures.HealthP50, s.figures.HealthP99, s.figures.HealthMax = at(s.health, 0.5), at(s.health, 0.99), at(s.health, 1)
		json.NewEncoder(os.Stdout).Encode(s.figures)
		if s == now {
			s.figures, s.times, s.health = figures{}, nil, nil
		}
	}
	next := start.Add(time.Duration(*interval * float64(time.Second)))
	for index := 0; time.Now().Before(end); index++ {
		if time.Now().After(next) {
			print(now, *interval)
			next = next.Add(time.Duration(*interval * float64(time.Second)))
		}
		if *connections == 0 {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		if *rate == 0 {
			select {
			case work <- index:
				note(func(s *seen) { s.figures.Due++ })
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		time.Sleep(time.Until(start.Add(time.Duration(float64(index) / *rate * float64(time.Second)))))
		note(func(s *seen) { s.figures.Due++ })
		if index == 0 {
			// The callers are just starting.
			work <- index
			continue
		}
		select {
		case work <- index:
		default:
			note(func(s *seen) { s.figures.Unsent++ })
		}
	}
	close(work)
	group.Wait()
	print(all, time.Since(start).Seconds())
}

// ask sends a review; status is 0 when no answer came.
func ask(client *http.Client, url string, body []byte) (status int, allowed bool, problem string) {
	answer, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return 0, false, err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, false, err.Error()
	}
	var review struct{ Response struct{ Allowed bool } }
	json.Unmarshal(text, &review)
	return answer.StatusCode, review.Response.Allowed, ""
}

// at gives the value below which a share of the values lies.
func at(values []float64, share float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sort.Float64s(values)
	return values[int(share*float64(len(values)-1))]
}

func milliseconds(duration time.Duration) float64 {
	return float64(duration.Microseconds()) / 1000
}

func read(file string) []byte {
	content, err := os.ReadFile(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	return content
}
