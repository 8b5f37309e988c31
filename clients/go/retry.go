package pesapost

import (
	"crypto/rand"
	"encoding/binary"
	"net/http"
	"time"
)

const maxRetries = 20

// RetryPolicy says how often and after how long a call is retried (SDK-2).
type RetryPolicy struct {
	// MaxRetries is the number of retries after the first try, 20 at most; 0 for none.
	MaxRetries int
	// BaseDelay is the delay before the first retry. It doubles for each further one.
	BaseDelay time.Duration
	// MaxDelay is the longest delay. If the service asks for more by Retry-After, the call fails at once.
	MaxDelay time.Duration
}

// DefaultRetries returns the policy of a client without one: 4 retries, after 0.5 s to 20 s.
func DefaultRetries() RetryPolicy {
	return RetryPolicy{MaxRetries: 4, BaseDelay: 500 * time.Millisecond, MaxDelay: 20 * time.Second}
}

func (policy RetryPolicy) check() error {
	if policy.MaxRetries < 0 || policy.MaxRetries > maxRetries {
		return usageError("MaxRetries must be from 0 to %d", maxRetries)
	}
	if policy.BaseDelay < 0 || policy.MaxDelay < 0 {
		return usageError("BaseDelay and MaxDelay must be 0 or more")
	}
	return nil
}

// isRetryable is true if the same call may get another answer (SDK-1).
func (err *Error) isRetryable() bool {
	switch {
	case err.Kind == KindNetwork || err.Kind == KindTimeout:
		return true
	case err.Status == http.StatusTooManyRequests || err.Status == http.StatusServiceUnavailable:
		return true
	}
	return err.Code == "idempotency_in_progress"
}

// delay returns the time before the n-th retry, and false if the failure is final (SDK-2).
func (policy RetryPolicy) delay(failure *Error, retry int) (time.Duration, bool) {
	if retry > policy.MaxRetries || !failure.isRetryable() || failure.RetryAfter > policy.MaxDelay {
		return 0, false
	}
	backoff := policy.BaseDelay
	for doubled := 1; doubled < retry && backoff < policy.MaxDelay; doubled++ {
		backoff *= 2
	}
	if backoff > policy.MaxDelay {
		backoff = policy.MaxDelay
	}
	share := randomShare()
	jittered := time.Duration(float64(backoff) * (1 - share/2))
	// All callers received the same time, so each waits a little longer at random.
	asked := failure.RetryAfter + time.Duration(share*float64(policy.BaseDelay))
	if failure.RetryAfter > 0 && asked > jittered {
		return asked, true
	}
	return jittered, true
}

// randomShare returns a number from 0 to 1. In Go 1.19, math/rand gives all processes the same ones.
func randomShare() float64 {
	var bytes [8]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		panic(err) // The system has no random numbers, so no nonce either.
	}
	return float64(binary.BigEndian.Uint64(bytes[:])>>11) / (1 << 53)
}
