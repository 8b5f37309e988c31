package pesapost

import (
	"fmt"
	"strings"
	"time"
)

// Error is a failed call (SDK-10). Find it with errors.As. Kind is the group, and Code the exact error.
//
// No Error has a secret, a token or a key in it. A mistake of the calling program is a *UsageError.
type Error struct {
	Code string
	Kind Kind
	// Status is that of HTTP, and 0 if no answer came.
	Status int
	// Detail is one sentence that names the field and the rule, if the service gave one.
	Detail string
	// RequestID is X-Request-Id: quote it when you ask for help.
	RequestID string
	// RetryAfter is the time that the service asked for, and 0 if it asked for none.
	RetryAfter time.Duration
	// WireCode is the code as received, if Code is unknown_code.
	WireCode string
	// Call is the method and the path.
	Call string
	// Attempts is the number of times that the request was sent.
	Attempts int
	// IdempotencyKey is the call's own. A later call with it and the same body repeats this call and starts no other.
	IdempotencyKey string

	// Reference belongs to an earlier item if Differs is not empty: nothing was pushed or reserved (SDK-5).
	Reference string
	// Differs are the call's fields that differ from the earlier item's, such as amount_minor.
	Differs []string
	// Existing is the earlier item in its current state. Its status never answers this call.
	Existing *CreatedItem

	// Last is the last known state if Code is not_settled; nil if no answer came.
	Last *Transaction

	limit time.Duration
	cause error
}

// UsageError is a mistake of the calling program, found before anything was sent.
type UsageError struct{ message string }

// Error names the option or the argument.
func (err *UsageError) Error() string { return "pesapost: " + err.message }

func usageError(format string, values ...any) error {
	return &UsageError{fmt.Sprintf(format, values...)}
}

// Error names the call and the reason.
func (err *Error) Error() string { return "pesapost: " + err.Call + ": " + err.sentence() }

// Unwrap returns the cause, such as a broken connection's or the context's error.
func (err *Error) Unwrap() error { return err.cause }

// of returns a copy with the facts of a call, because several calls may share a failed request for a token.
func (err *Error) of(call string, attempts int, idempotencyKey string) *Error {
	named := *err
	named.Call, named.Attempts, named.IdempotencyKey = call, attempts, idempotencyKey
	return &named
}

func (err *Error) sentence() string {
	switch {
	case err.Kind == KindNetwork:
		return "no answer: the connection failed or broke"
	case err.Kind == KindTimeout && err.limit == 0:
		return "no answer before the context's deadline"
	case err.Kind == KindTimeout:
		return fmt.Sprintf("no answer within %s", err.limit)
	case err.Kind == KindCanceled:
		return "the context was canceled"
	case err.Kind == KindNotSettled && err.Last == nil:
		return fmt.Sprintf("unknown status after %s", err.limit)
	case err.Kind == KindNotSettled:
		return fmt.Sprintf("%s after %s", err.Last.Status, err.limit)
	case len(err.Differs) > 0:
		other := strings.Join(err.Differs, ", ")
		return fmt.Sprintf("%s is an earlier item of another %s; nothing was done", err.Reference, other)
	case err.Code == codeUnexpectedAnswer:
		return fmt.Sprintf("%d, not in the shape of a PesaPost answer; is BaseURL right?", err.Status)
	}
	code := err.Code
	if err.WireCode != "" {
		code = err.WireCode
	}
	if err.Detail == "" {
		return fmt.Sprintf("%d %s", err.Status, code)
	}
	return fmt.Sprintf("%d %s: %s", err.Status, code, err.Detail)
}

// notAPage is the error for an answer of 200 whose page does not fit the pages before it.
func notAPage(path string) error {
	failure := &Error{Code: codeUnexpectedAnswer, Kind: KindUnknown, Status: 200}
	return failure.of("GET "+path, 1, "")
}
