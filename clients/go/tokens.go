package pesapost

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

const (
	tokenPath = "/api/v4/oauth/token"
	// A token is renewed so long before its end, or a tenth of its life if that is less.
	renewAhead = time.Minute
)

// token has the time from which it is renewed.
type token struct {
	text    string
	renewAt time.Time
}

// tokenSource fetches a token when it is first needed, by one request for all goroutines that wait (SDK-8).
type tokenSource struct {
	wire  *wire
	basic string
	now   func() time.Time

	mutex    sync.Mutex
	held     *token
	underWay *tokenFetch
}

// tokenFetch has a token or a failure once done is closed.
type tokenFetch struct {
	done    chan struct{}
	token   *token
	failure *Error
}

func newTokenSource(wire *wire, id, secret string, now func() time.Time) *tokenSource {
	basic := base64.StdEncoding.EncodeToString([]byte(id + ":" + secret))
	return &tokenSource{wire: wire, basic: basic, now: now}
}

// current returns the token. If the context ends first, its request continues for the other goroutines.
func (source *tokenSource) current(ctx context.Context) (*token, *Error) {
	source.mutex.Lock()
	if held := source.held; held != nil && source.now().Before(held.renewAt) {
		source.mutex.Unlock()
		return held, nil
	}
	if source.underWay == nil {
		source.underWay = &tokenFetch{done: make(chan struct{})}
		go source.renew(source.underWay)
	}
	fetch := source.underWay
	source.mutex.Unlock()
	select {
	case <-fetch.done:
		return fetch.token, fetch.failure
	case <-ctx.Done():
		return nil, endOf(ctx)
	}
}

// forget drops a token that the service refused. A newer token is kept.
func (source *tokenSource) forget(refused *token) {
	source.mutex.Lock()
	defer source.mutex.Unlock()
	if source.held == refused {
		source.held = nil
	}
}

func (source *tokenSource) renew(fetch *tokenFetch) {
	fetch.token, fetch.failure = source.fetch()
	source.mutex.Lock()
	source.underWay = nil
	if fetch.token != nil {
		source.held = fetch.token
	}
	source.mutex.Unlock()
	close(fetch.done)
}

// fetch asks by OAuth 2.0 client credentials (RFC 6749, section 4.4).
func (source *tokenSource) fetch() (*token, *Error) {
	answer, failure := source.wire.exchange(context.Background(), wireRequest{
		method: http.MethodPost,
		target: tokenPath,
		headers: map[string]string{
			"Accept":        "application/json",
			"Authorization": "Basic " + source.basic,
			"Content-Type":  "application/x-www-form-urlencoded",
		},
		body: []byte("grant_type=client_credentials"),
	})
	if failure != nil {
		return nil, failure
	}
	if _, failure := readAnswer(tokenPath, answer, source.now()); failure != nil {
		return nil, failure
	}
	var granted struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   *int32 `json:"expires_in"`
	}
	if json.Unmarshal(answer.text, &granted) != nil || granted.AccessToken == "" || granted.ExpiresIn == nil {
		return nil, unexpected(answer, 0)
	}
	life := time.Duration(*granted.ExpiresIn) * time.Second
	ahead := renewAhead
	if life/10 < ahead {
		ahead = life / 10
	}
	return &token{granted.AccessToken, source.now().Add(life - ahead)}, nil
}
