package service_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"mcp-aggregator/app/service"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

// running is a service in this process, at a free port.
type running struct {
	t       *testing.T
	app     *fx.App
	url     string
	log     testutil.Buffer
	handler http.Handler // of all requests
}

// start starts a service whose children are programs; processes if programs is nil.
func start(t *testing.T, programs child.Spawner, change ...func(*service.Options)) *running {
	t.Helper()
	s := &running{t: t}
	s.run(s.options(change...), programs)
	return s
}

func (s *running) options(change ...func(*service.Options)) service.Options {
	o := service.Options{
		Listen: "127.0.0.1:0", Database: filepath.Join(s.t.TempDir(), "a.db"), Version: "1.2.3",
		Environ: []string{"SECRET_WORD=" + testutil.Canary}, Stderr: testutil.Printed(&s.log),
	}
	for _, c := range change {
		c(&o)
	}
	return o
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// at sets the database of a service.
func at(database string) func(*service.Options) {
	return func(o *service.Options) { o.Database = database }
}

func (s *running) run(o service.Options, programs child.Spawner, more ...fx.Option) {
	s.t.Helper()
	var server *service.Server
	options := append([]fx.Option{service.Compose(o), fx.Populate(&server)}, more...)
	if programs != nil {
		options = append(options, testutil.Replace(programs))
	}
	s.app = fx.New(options...)
	if err := s.app.Start(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	s.url, s.handler = "http://"+server.Address().String(), server.Handler()
	s.t.Cleanup(s.stop)
}

func (s *running) stop() {
	if s.app != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.t.Context()), time.Minute)
		defer cancel()
		if err := s.app.Stop(ctx); err != nil {
			s.t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	}
	s.app = nil
}

// rest sends a request to the REST API and returns the status and the body.
func (s *running) rest(method, path, body string) (int, string) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// shown is a server in the API's JSON.
type shown struct {
	ID, Name, Status string
	Tools            int    `json:"tool_count"`
	Error            string `json:"error_message"`
}

// register registers a server and returns it.
func (s *running) register(name, transport, connection string) shown {
	s.t.Helper()
	status, text := s.rest(http.MethodPost, "/aggregator/servers",
		`{"name":"`+name+`","transport_type":"`+transport+`","connection_config":`+connection+`}`)
	if status != http.StatusCreated {
		s.t.Fatalf("%d %s", status, text)
	}
	return decode[shown](s.t, text)
}

func decode[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// get returns the record of a server.
func (s *running) get(id string) shown {
	s.t.Helper()
	status, text := s.rest(http.MethodGet, "/aggregator/servers/"+id, "")
	if status != http.StatusOK {
		s.t.Fatalf("%d %s", status, text)
	}
	return decode[shown](s.t, text)
}

// await waits until a server has that status.
func (s *running) await(id, status string) shown {
	s.t.Helper()
	var now shown
	s.until(status, func() bool {
		now = s.get(id)
		return now.Status == status
	})
	return now
}

// until waits until a condition holds.
func (s *running) until(what string, happened func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); !happened(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("%s: waited in vain", what)
		}
	}
}
