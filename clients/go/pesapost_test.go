package pesapost

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

var testKey = pemOf("PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(newKey(2048))))

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func newKey(bits int) *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, bits)) }

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// optionsFor are those of a client with quick retries.
func optionsFor(url string) Options {
	return Options{
		BaseURL:      url,
		ClientID:     "client-1",
		ClientSecret: "secret-1",
		PrivateKey:   testKey,
		Timeout:      time.Minute,
		Retries:      &RetryPolicy{MaxRetries: 4, BaseDelay: time.Millisecond, MaxDelay: time.Minute},
	}
}

// service is a scripted PesaPost: it gives out tokens, and answer does the rest.
type service struct {
	*httptest.Server
	answer http.HandlerFunc

	mutex  sync.Mutex
	nonces []string
	tokens int
}

func startService(t *testing.T, answer http.HandlerFunc) *service {
	t.Helper()
	started := &service{answer: answer}
	started.Server = httptest.NewServer(started)
	t.Cleanup(started.Close)
	return started
}

func (s *service) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	if request.URL.Path == tokenPath {
		s.mutex.Lock()
		s.tokens++
		s.mutex.Unlock()
		writeJSON(writer, map[string]any{"access_token": "token-1", "expires_in": 3600})
		return
	}
	// A server notices that a client has left only after it has read the body.
	if _, err := io.Copy(io.Discard, request.Body); err != nil {
		panic(err)
	}
	s.mutex.Lock()
	s.nonces = append(s.nonces, request.Header.Get("X-PP-Nonce"))
	s.mutex.Unlock()
	s.answer(writer, request)
}

func (s *service) client() *Client { return must(New(optionsFor(s.URL))) }

func (s *service) seen() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]string(nil), s.nonces...)
}

func writeJSON(writer http.ResponseWriter, body any) {
	if err := json.NewEncoder(writer).Encode(body); err != nil {
		panic(err)
	}
}

func completed(writer http.ResponseWriter, _ *http.Request) {
	writeJSON(writer, map[string]any{"status": "completed", "amount_minor": 25_000})
}

func cut(writer http.ResponseWriter) {
	connection, _, err := writer.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	connection.Close()
}
