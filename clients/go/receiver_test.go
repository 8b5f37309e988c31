package pesapost

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

const delivered = `{"id":"e-1","type":"collection.completed","data":{"amount_minor":100}}`

func signedHeader(body, secret string) http.Header {
	now := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("e-1." + now + "." + body))
	header := http.Header{}
	header.Set("PesaPost-Event-Id", "e-1")
	header.Set("PesaPost-Timestamp", now)
	header.Set("PesaPost-Signature", "v4="+hex.EncodeToString(mac.Sum(nil)))
	return header
}

// receiver keeps the events and refusals that a handler reports.
type receiver struct {
	events  []string
	refused []string
	failed  []error
}

func (r *receiver) post(body string, header http.Header) int {
	handler := &WebhookHandler{
		WebhookVerifier: WebhookVerifier{Secrets: []string{"whsec_2", "whsec_1"}},
		OnEvent: func(_ context.Context, event *Event) error {
			if event.Data.AmountMinor == Minor(500) {
				return errors.New("no database")
			}
			r.events = append(r.events, event.ID)
			return nil
		},
		OnRefused: func(err *WebhookError) { r.refused = append(r.refused, err.Code) },
		OnFailed:  func(err error) { r.failed = append(r.failed, err) },
	}
	request := httptest.NewRequest(http.MethodPost, "/webhooks", strings.NewReader(body))
	for name, values := range header {
		request.Header[name] = values
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	return answer.Code
}

func TestTheReceiverAnswers204OnceTheEventWasHandled(t *testing.T) {
	var r receiver
	if status := r.post(delivered, signedHeader(delivered, "whsec_1")); status != 204 || len(r.events) != 1 {
		t.Errorf("%d %+v", status, r)
	}
}

func TestTheReceiverAnswers400ToARequestThatDoesNotVerify(t *testing.T) {
	var r receiver
	statuses := []int{r.post(delivered, signedHeader(delivered, "whsec_3")), r.post(delivered, nil)}
	if statuses[0] != 400 || statuses[1] != 400 || len(r.events) != 0 {
		t.Errorf("%v %+v", statuses, r)
	}
	if strings.Join(r.refused, " ") != "no_matching_signature missing_header" {
		t.Errorf("%v", r.refused)
	}
}

func TestTheReceiverAnswers413ToABodyOver64KiB(t *testing.T) {
	var r receiver
	longest := strings.Repeat(" ", maxWebhookBytes-len(delivered)) + delivered
	if status := r.post(longest, signedHeader(longest, "whsec_1")); status != 204 {
		t.Errorf("64 KiB: %d", status)
	}
	if status := r.post(longest+" ", signedHeader(longest+" ", "whsec_1")); status != 413 {
		t.Errorf("more: %d", status)
	}
}

func TestTheReceiverAnswers500IfTheEventCouldNotBeHandled(t *testing.T) {
	var r receiver
	body := strings.Replace(delivered, "100", "500", 1)
	if status := r.post(body, signedHeader(body, "whsec_1")); status != 500 || len(r.failed) != 1 {
		t.Errorf("%d %+v", status, r)
	}
}

func TestAHeaderThatAppearsTwiceIsRefused(t *testing.T) {
	header := signedHeader(delivered, "whsec_1")
	header["pesapost-event-id"] = []string{"e-2"}
	var refusal *WebhookError
	if _, err := VerifyWebhook([]byte(delivered), header, "whsec_1"); !errors.As(err, &refusal) || refusal.Code != "missing_header" {
		t.Errorf("%v", err)
	}
}
