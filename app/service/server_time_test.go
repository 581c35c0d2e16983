package service_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/wire"
)

func reading(w http.ResponseWriter, r *http.Request) {
	switch _, err := wire.ReadAll(r.Body, r.ContentLength); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.WriteHeader(http.StatusRequestTimeout)
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
	}
}

func TestABodyThatStopsComingIsNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := serving(t, limits(), reading)
		client := p.dial()
		began := time.Now()
		client.say(t, "POST / HTTP/1.1\nHost: a\nX-Token: x\nContent-Length: 100\n\nbegun")
		response := client.answer(t)
		if took := time.Since(began); response.status != http.StatusRequestTimeout || !response.closes || took != 30*time.Second {
			t.Errorf("after %s it is answered with %+v", took, response)
		}
	})
}

func TestABodyThatComesSlowlyIsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := serving(t, limits(), reading)
		client := p.dial()
		const parts, size = 100, 40 << 10 // 10 s each
		client.say(t, fmt.Sprintf("POST / HTTP/1.1\nHost: a\nX-Token: x\nContent-Length: %d\n\n", parts*size))
		for range parts {
			time.Sleep(9 * time.Second)
			client.say(t, strings.Repeat("x", size))
		}
		if response := client.answer(t); response.status != http.StatusOK || response.closes {
			t.Errorf("it is answered with %+v", response)
		}
		// What comes after the body has no deadline but that of any connection.
		time.Sleep(time.Minute)
		client.say(t, "GET / HTTP/1.1\nHost: a\n\n")
		if response := client.answer(t); response.status != http.StatusOK {
			t.Errorf("the next request is answered with %+v", response)
		}
	})
}

// A response may take hours, as that of a stream does.
func TestAnAnswerMayTakeLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := serving(t, limits(), func(w http.ResponseWriter, r *http.Request) {
			reading(w, r)
			for range 10 {
				time.Sleep(time.Hour)
				_, _ = io.WriteString(w, "event")
				_ = http.NewResponseController(w).Flush()
			}
			if err := r.Context().Err(); err != nil {
				t.Errorf("it is cancelled: %v", err)
			}
		})
		client := p.dial()
		client.say(t, "POST / HTTP/1.1\nHost: a\nX-Token: x\nContent-Length: 3\n\nabc")
		if response := client.answer(t); response.text != strings.Repeat("event", 10) {
			t.Errorf("the answer is %+v", response)
		}
	})
}

func TestConnectionsThatDoNothingEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := serving(t, limits(), reading)
		if took := p.dial().ended(t); took != 10*time.Second {
			t.Errorf("one that says nothing ends after %s", took)
		}
		slow := p.dial()
		slow.say(t, "GET / HTTP/1.1\nHost:")
		if took := slow.ended(t); took != 10*time.Second {
			t.Errorf("one without all headers ends after %s", took)
		}
		idle := p.dial()
		idle.say(t, "GET / HTTP/1.1\nHost: a\n\n")
		idle.answer(t)
		if took := idle.ended(t); took != 2*time.Minute {
			t.Errorf("one without a further request ends after %s", took)
		}
	})
}

func TestAClientThatReadsNothingIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gaveUp := make(chan time.Duration, 1)
		p := serving(t, limits(), func(w http.ResponseWriter, r *http.Request) {
			began := time.Now()
			if _, err := w.Write(make([]byte, 1<<20)); err == nil {
				t.Error("all was written")
			}
			gaveUp <- time.Since(began)
			<-r.Context().Done()
		})
		p.dial().say(t, "GET / HTTP/1.1\nHost: a\n\n")
		if took := <-gaveUp; took != 30*time.Second {
			t.Errorf("it was given up after %s", took)
		}
	})
}

func TestAClientThatReadsSlowlyGetsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size = 1 << 20
		p := serving(t, limits(), func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, size)) })
		client := p.dial()
		client.say(t, "GET / HTTP/1.1\nHost: a\n\n")
		response := client.read(t, func(body io.Reader) ([]byte, error) {
			var all bytes.Buffer
			for n := int64(1); n > 0; time.Sleep(14 * time.Second) {
				n, _ = io.CopyN(&all, body, 64<<10) // it ends somewhere
			}
			return all.Bytes(), nil
		})
		if len(response.text) != size {
			t.Errorf("it got %d bytes", len(response.text))
		}
	})
}
