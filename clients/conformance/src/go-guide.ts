/**
 * Returns the program of Go's guide: its examples as they are printed, the helpers of the first example, and the names
 * that the examples use.
 */
export function guideOfGo(first: string, examples: readonly string[]): string {
  const helpers = first.slice(first.indexOf('func demo()'));
  const [errors = '', payments = '', webhooks = ''] = examples;
  return [
    names,
    errors,
    'return pay()\n}',
    middle,
    payments,
    'return nil\n}',
    deliver,
    webhooks,
    end,
    helpers,
  ].join('\n');
}

const names = `
package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"time"

	pesapost "github.com/pesapost/pesapost-go"
)

var ctx = context.Background()
var client, accountNo = demo()
var order = item("INV-2001", 9900)
var payout = item("GUIDE-GO-P", 1000)
var secondHolder = checker()
var newSecret, oldSecret = "whsec_2", "whsec_1"
var batch = pesapost.NewPayoutBatch{
	Reference: "SALARIES-12", AccountNo: accountNo, Currency: "KES", Channel: "mpesa",
	Items: []pesapost.NewPayoutBatchItem{
		{Reference: "GUIDE-GO-1", Phone: "254712345678", AmountMinor: pesapost.Minor(1000)},
	},
}

func item(reference string, minor int64) pesapost.NewCollection {
	return pesapost.NewCollection{
		AccountNo: accountNo, Phone: "254712345678", AmountMinor: pesapost.Minor(minor),
		Currency: "KES", Channel: "mpesa", Reference: reference,
	}
}

func checker() *pesapost.Client {
	var file struct {
		Checker map[string]string \`json:"v4_checker"\`
	}
	if err := json.Unmarshal(must(os.ReadFile(".data/demo.json")), &file); err != nil {
		log.Fatal(err)
	}
	return must(pesapost.New(pesapost.Options{
		BaseURL: file.Checker["base_url"], ClientID: file.Checker["client_id"],
		ClientSecret: file.Checker["client_secret"], PrivateKey: file.Checker["private_key_pem"],
	}))
}

func guide() error {
	must(client.Collections.Create(ctx, item("INV-2001", 1000)))
	must(client.Collections.WaitUntilSettled(ctx, "INV-2001", 0))
`;

const middle = `
func pay() error {
`;

/** Delivers a webhook that is signed with the old secret, and one that is not signed. */
const deliver = `
func post(signature string, now string, body string) int {
	request := httptest.NewRequest("POST", "/webhooks", strings.NewReader(body))
	request.Header.Set("PesaPost-Event-Id", "e-1")
	request.Header.Set("PesaPost-Timestamp", now)
	request.Header.Set("PesaPost-Signature", signature)
	answer := httptest.NewRecorder()
	http.DefaultServeMux.ServeHTTP(answer, request)
	return answer.Code
}

func main() {
	if err := guide(); err != nil {
		log.Fatal(err)
	}
`;

const end = `
	body := \`{"id":"e-1","type":"collection.completed","data":{"reference":"INV-2001"}}\`
	now := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte("whsec_1"))
	mac.Write([]byte("e-1." + now + "." + body))
	genuine := post("v4="+hex.EncodeToString(mac.Sum(nil)), now, body)
	fmt.Println(genuine, post("", now, body))
}
`;
