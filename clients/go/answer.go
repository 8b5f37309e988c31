package pesapost

import (
	"encoding/json"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// success is an answer of 2xx that has a JSON object.
type success struct {
	*wireAnswer
	position string
	replayed bool
	existing bool
}

// readAnswer returns the answer or its failure. A date in Retry-After counts from now.
func readAnswer(path string, answer *wireAnswer, now time.Time) (*success, *Error) {
	var body map[string]json.RawMessage
	if json.Unmarshal(answer.text, &body) != nil || body == nil || answer.status < 200 || answer.status > 299 {
		return nil, failureIn(answer, body, now)
	}
	read := &success{
		wireAnswer: answer,
		position:   answer.header("X-PP-Ledger-Position"),
		replayed:   answer.header("Idempotent-Replayed") == "true",
		existing:   answer.header("X-PP-Existing") == "true",
	}
	if differs := answer.header("X-PP-Differs"); differs != "" {
		return nil, read.differing(path, differs)
	}
	return read, nil
}

// differing is the failure of an answer about an item that differs from the requested one (SDK-5).
func (answer *success) differing(path, fields string) *Error {
	existing, failure := decode[CreatedItem](answer)
	if failure != nil {
		return failure
	}
	differs := strings.Split(fields, ",")
	for index := range differs {
		differs[index] = strings.TrimSpace(differs[index])
	}
	return &Error{
		Code:      differentCode(path),
		Kind:      KindRefused,
		Reference: existing.Reference,
		Differs:   differs,
		Existing:  existing,
	}
}

// differentCode returns the code for a path. A refund of a collection is a payout.
func differentCode(path string) string {
	switch {
	case path == batchesPath:
		return "different_payout_batch"
	case path == payoutsPath || strings.HasSuffix(path, "/refund"):
		return "different_payout"
	}
	return "different_collection"
}

// decode returns the answer in its type, or a failure if it is not in that shape.
func decode[T any](answer *success) (*T, *Error) {
	value := new(T)
	facts := any(value).(interface{ facts() *Answer }).facts()
	if decodeMembers(answer.text, value, &facts.Members) != nil {
		return nil, unexpected(answer.wireAnswer, 0)
	}
	facts.LedgerPosition = answer.position
	if decided, has := any(value).(interface{ decision() *Decided }); has {
		decided.decision().Replayed = answer.replayed
	}
	if created, has := any(value).(interface{ creation() *Created }); has {
		created.creation().Existing = answer.existing
	}
	return value, nil
}

func (facts *Answer) facts() *Answer        { return facts }
func (decided *Decided) decision() *Decided { return decided }
func (created *Created) creation() *Created { return created }

// unexpected is the failure of an answer that is not in the shape of PesaPost's (SDK-11).
func unexpected(answer *wireAnswer, retryAfter time.Duration) *Error {
	return &Error{
		Code:       codeUnexpectedAnswer,
		Kind:       KindUnknown,
		Status:     answer.status,
		RequestID:  answer.header("X-Request-Id"),
		RetryAfter: retryAfter,
	}
}

func failureIn(answer *wireAnswer, body map[string]json.RawMessage, now time.Time) *Error {
	failure := unexpected(answer, retryAfterOf(answer.header("Retry-After"), now))
	var code string
	if answer.status < 400 || json.Unmarshal(body["error"], &code) != nil || code == "" {
		return failure
	}
	kind, isKnown := errorKinds[code]
	if isKnown {
		failure.Code, failure.Kind = code, kind
	} else {
		failure.Code, failure.WireCode = "unknown_code", code
	}
	var detail string
	if json.Unmarshal(body["detail"], &detail) == nil {
		failure.Detail = detail
	}
	return failure
}

var wholeSeconds = regexp.MustCompile(`^[0-9]{1,9}$`)

// retryAfterOf reads seconds or a date (RFC 9110, section 10.2.3), and returns 0 for anything else.
func retryAfterOf(text string, now time.Time) time.Duration {
	if wholeSeconds.MatchString(text) {
		seconds, _ := strconv.ParseInt(text, 10, 64)
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return time.Duration(math.Max(0, math.Ceil(until.Sub(now).Seconds()))) * time.Second
}
