package openai

import (
	"errors"
	"io"
	"net/http"
)

// maxAnswer bounds an answer: 32 vectors of 16,000 numbers, written in full, are below.
const maxAnswer = 16 << 20

var errTooLong = errors.New("the endpoint's answer is longer than 16 MiB")

// newClient returns a client that takes answers within bounds. It has no timeout of its
// own: each request has a context with one.
func newClient(transport http.RoundTripper) *http.Client {
	if transport == nil {
		transport = http.DefaultTransport
	}
	return &http.Client{
		Transport: bounded{transport},
		// A redirect of a POST keeps the texts and, on one host, the key.
		CheckRedirect: func(to *http.Request, via []*http.Request) error {
			if first := via[0].URL; to.URL.Host != first.Host || to.URL.Scheme != first.Scheme {
				return errors.New("the endpoint redirects to another host: name that one as its URL")
			}
			if len(via) > 3 {
				return errors.New("the endpoint redirects without end")
			}
			return nil
		},
	}
}

// bounded cuts the bodies of answers.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(request)
	if err == nil {
		response.Body = &body{ReadCloser: response.Body, left: maxAnswer}
	}
	return response, err
}

// body ends with an error beyond what is left.
type body struct {
	io.ReadCloser

	left int
}

func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
