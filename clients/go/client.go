// Package pesapost is the client of PesaPost V4: collect money over M-Pesa, pay out, list and verify webhooks.
//
// Any number of goroutines may use one Client. Every call takes a context first, and ends when the context does.
package pesapost

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/pesapost/pesapost-go/internal/signing"
)

const defaultTimeout = 20 * time.Second

// Options are those of New. The first four must be set.
type Options struct {
	// BaseURL is scheme and host, such as https://api.example.com. Plain http is only for this machine.
	BaseURL      string
	ClientID     string
	ClientSecret string
	// PrivateKey is the PEM of the RSA key. The credential was issued for its public half.
	PrivateKey string

	// Timeout is for each try, from the connection to the end of the answer; 0 for 20 s.
	Timeout time.Duration
	// Retries is nil for DefaultRetries.
	Retries *RetryPolicy
	// Now returns the time, within 300 s of the service's; nil for time.Now.
	Now func() time.Time
	// AllowHTTP allows plain http to another machine, where secrets are then readable.
	AllowHTTP bool
	// TLS is for a certificate authority of your own; nil for the system's.
	TLS *tls.Config
}

// String names no secret, because logs and debuggers show it.
func (options Options) String() string { return "pesapost.Options(" + options.BaseURL + ")" }

// GoString names no secret either.
func (options Options) GoString() string { return options.String() }

// Client is for one credential. Make one and keep it, because it keeps the token.
type Client struct {
	Collections   *Collections
	Payouts       *Payouts
	PayoutBatches *PayoutBatches
	Transactions  *Transactions
	Accounts      *Accounts
	Events        *Events
}

// New checks the options; no request is sent. It returns a *UsageError, which names the option.
func New(options Options) (*Client, error) {
	origin, err := readOrigin(options.BaseURL, options.AllowHTTP)
	if err != nil {
		return nil, err
	}
	if options.ClientID == "" || options.ClientSecret == "" {
		return nil, usageError("ClientID or ClientSecret is missing")
	}
	key, err := signing.ReadKey(options.PrivateKey)
	if err != nil {
		return nil, usageError("PrivateKey %v", err)
	}
	link := &connection{
		wire:    newWire(origin, options.TLS, options.Timeout),
		key:     key,
		now:     options.Now,
		retries: DefaultRetries(),
	}
	if options.Retries != nil {
		link.retries = *options.Retries
	}
	if err := link.retries.check(); err != nil {
		return nil, err
	}
	if link.wire.timeout < 0 {
		return nil, usageError("Timeout must be above 0")
	}
	if link.now == nil {
		link.now = time.Now
	}
	link.tokens = newTokenSource(link.wire, options.ClientID, options.ClientSecret, link.now)
	return &Client{
		Collections:   &Collections{link},
		Payouts:       &Payouts{link},
		PayoutBatches: &PayoutBatches{link},
		Transactions:  &Transactions{link},
		Accounts:      &Accounts{link},
		Events:        &Events{link},
	}, nil
}

// readOrigin reads scheme and host. The signature covers the path, so a base must not have its own (SDK-9).
func readOrigin(baseURL string, allowHTTP bool) (string, error) {
	base, err := url.Parse(baseURL)
	if err != nil || base.Hostname() == "" || base.Scheme != "http" && base.Scheme != "https" {
		return "", usageError("BaseURL is no URL; it looks like https://api.example.com")
	}
	bare := url.URL{Scheme: base.Scheme, Host: base.Host}
	if base.Path == "/" {
		base.Path = ""
	}
	if *base != bare {
		return "", usageError("BaseURL is scheme and host alone; the client adds /api/v4 itself")
	}
	if base.Scheme == "http" && !allowHTTP && !isThisMachine(base.Hostname()) {
		return "", usageError("BaseURL must be https, because secrets travel in it; or set AllowHTTP")
	}
	return bare.String(), nil
}

func isThisMachine(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

func newWire(origin string, settings *tls.Config, timeout time.Duration) *wire {
	if timeout == 0 {
		timeout = defaultTimeout
	}
	transport := &http.Transport{
		TLSClientConfig:     settings,
		ForceAttemptHTTP2:   true,
		DisableCompression:  true,
		MaxIdleConnsPerHost: maxIdleConnections,
		IdleConnTimeout:     idleTimeout,
	}
	return &wire{origin: origin, transport: transport, timeout: timeout}
}
