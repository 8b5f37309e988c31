// Driver runs the conformance suite's requests with the Go client (clients/conformance/README.md).
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"sync"

	pesapost "github.com/pesapost/pesapost-go"
)

type request struct {
	ID   int             `json:"id"`
	Op   string          `json:"op"`
	Args json.RawMessage `json:"args"`
}

// mistake is a mistake of the calling program that Go's types already refuse, such as an amount that is no integer.
type mistake struct{ error }

var (
	clients sync.Map
	output  sync.Mutex
)

var operations = map[string]func(json.RawMessage) (any, error){
	"client":         makeClient,
	"call":           call,
	"sign":           sign,
	"verify_webhook": verifyWebhook,
}

func main() {
	// Tests compare the codes with those of the other clients.
	if len(os.Args) > 1 && os.Args[1] == "error-kinds" {
		write(pesapost.ErrorKinds())
		return
	}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		go answer(line)
	}
}

func answer(line []byte) {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		log.Fatal(err)
	}
	result, err := operations[asked.Op](asked.Args)
	if err != nil {
		write(map[string]any{"id": asked.ID, "error": failureOf(err)})
		return
	}
	write(map[string]any{"id": asked.ID, "ok": withDigits(result)})
}

func write(value any) {
	text, err := json.Marshal(value)
	if err != nil {
		log.Fatal(err)
	}
	output.Lock()
	defer output.Unlock()
	fmt.Println(string(text))
}

func failureOf(err error) map[string]any {
	var failure *pesapost.Error
	var webhook *pesapost.WebhookError
	var usage *pesapost.UsageError
	var refused mistake
	switch {
	case errors.As(err, &failure):
		return factsOf(failure)
	case errors.As(err, &webhook):
		return map[string]any{"type": "webhook", "code": webhook.Code}
	case errors.As(err, &usage), errors.As(err, &refused):
		return map[string]any{"type": "mistake", "message": err.Error()}
	}
	return map[string]any{"type": "defect", "message": err.Error()}
}

func factsOf(failure *pesapost.Error) map[string]any {
	facts := map[string]any{
		"type":     "call",
		"message":  failure.Error(),
		"code":     failure.Code,
		"kind":     failure.Kind,
		"call":     failure.Call,
		"attempts": failure.Attempts,
	}
	texts := map[string]string{
		"detail":          failure.Detail,
		"request_id":      failure.RequestID,
		"wire_code":       failure.WireCode,
		"reference":       failure.Reference,
		"idempotency_key": failure.IdempotencyKey,
	}
	for name, text := range texts {
		if text != "" {
			facts[name] = text
		}
	}
	if failure.Status != 0 {
		facts["status"] = failure.Status
	}
	if failure.RetryAfter != 0 {
		facts["retry_after_seconds"] = failure.RetryAfter.Seconds()
	}
	if failure.Differs != nil {
		facts["differs"], facts["existing"] = failure.Differs, withDigits(failure.Existing)
	}
	if failure.Last != nil {
		facts["last"] = withDigits(failure.Last)
	}
	return facts
}
