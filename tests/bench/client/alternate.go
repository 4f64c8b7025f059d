package main

import (
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// target is one of the URLs that take turns, with the milliseconds of its requests in each round.
type target struct {
	Name   string      `json:"name"`
	Rounds [][]float64 `json:"rounds"`
	url    string
}

// alternate sends a few requests to one URL, then to the next, and so on, round after round over one connection. The
// speed of a machine that others share changes within seconds, and so it meets all URLs alike. Each round begins with
// another URL.
func alternate(arguments []string) error {
	flags := flag.NewFlagSet("alternate", flag.ExitOnError)
	file := flags.String("body", "", "a file with the body of every request")
	cert := flags.String("cert", "", "a PEM file with a client certificate")
	key := flags.String("key", "", "a PEM file with its key")
	status := flags.Int("status", http.StatusOK, "the status of a good answer")
	rounds := flags.Int("rounds", 10, "how many rounds")
	each := flags.Int("each", 20, "requests to a URL in a round")
	flags.Parse(arguments)
	var targets []*target
	for _, argument := range flags.Args() {
		name, url, found := strings.Cut(argument, "=")
		if !found {
			return fmt.Errorf("%s: want NAME=URL", argument)
		}
		targets = append(targets, &target{Name: name, url: url})
	}
	body, err := os.ReadFile(*file)
	if err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(*cert, *key)
	if err != nil {
		return err
	}
	settings := &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{pair}}
	order := &run{body: body, status: *status}
	sender := &caller{client: newClient(settings)}
	for round := 0; round < *rounds; round++ {
		for index := range targets {
			next := targets[(index+round)%len(targets)]
			order.url = next.url
			times := make([]float64, *each)
			for request := range times {
				sent := time.Now()
				if problem := sender.ask(order); problem != "" {
					return fmt.Errorf("%s: %s", next.Name, problem)
				}
				times[request] = float64(time.Since(sent).Nanoseconds()) / 1e6
			}
			next.Rounds = append(next.Rounds, times)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(targets)
}
