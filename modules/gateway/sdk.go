package gateway

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"

	"mcp-aggregator/modules/wire"
)

// sdkRequestID is the id of all requests to the SDK, which rounds large ids.
var sdkRequestID = []byte("1")

// notifySDK passes a notification on to the SDK.
func (g *Gateway) notifySDK(r *http.Request, m *wire.Message) { g.callSDK(r, m.Line) }

// callSDK lets the SDK handle a body with the headers of r and returns its response.
func (g *Gateway) callSDK(r *http.Request, body []byte) *httptest.ResponseRecorder {
	request := r.Clone(r.Context())
	request.Body = http.NoBody
	response := httptest.NewRecorder()
	g.passToSDK(response, request, bytes.Clone(body))
	return response
}

func copyResponse(w http.ResponseWriter, response *httptest.ResponseRecorder) {
	copyHeader(w, response)
	w.WriteHeader(response.Code)
	_, _ = w.Write(response.Body.Bytes()) // an error means that the client has disconnected
}

func copyHeader(w http.ResponseWriter, response *httptest.ResponseRecorder) {
	maps.Copy(w.Header(), response.Header())
}

// passToSDK lets the SDK handle a request whose body has been read.
func (g *Gateway) passToSDK(w http.ResponseWriter, r *http.Request, body []byte) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	g.handler.ServeHTTP(w, r)
}
