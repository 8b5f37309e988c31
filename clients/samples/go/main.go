// Samples runs a sample, which its file names: samples create_collection.go.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	pesapost "github.com/pesapost/pesapost-go"
)

var samples = map[string]func(context.Context, *pesapost.Client) error{
	"approve_payout":          approvePayout,
	"approve_payout_batch":    approvePayoutBatch,
	"cancel_payout":           cancelPayout,
	"cancel_payout_batch":     cancelPayoutBatch,
	"collect":                 collect,
	"create_collection":       createCollection,
	"expect_payment":          expectPayment,
	"find_balance":            findBalance,
	"find_collection":         findCollection,
	"find_collection_receipt": findCollectionReceipt,
	"find_payout":             findPayout,
	"find_payout_batch":       findPayoutBatch,
	"follow_events":           followEvents,
	"handle_errors":           handleErrors,
	"list_events":             listEvents,
	"list_transactions":       listTransactions,
	"pay_out":                 payOut,
	"read_your_writes":        readYourWrites,
	"receive_webhooks":        receiveWebhooks,
	"reconcile":               reconcile,
	"refund_collection":       refundCollection,
	"reject_payout":           rejectPayout,
	"reject_payout_batch":     rejectPayoutBatch,
	"repeat_a_call":           repeatACall,
	"request_payout":          requestPayout,
	"request_payout_batch":    requestPayoutBatch,
}

func main() {
	name := strings.TrimSuffix(filepath.Base(os.Args[1]), ".go")
	if name == "checkout_link" {
		checkoutLink()
		return
	}
	if err := samples[name](context.Background(), newClient()); err != nil {
		log.Fatal(err)
	}
}

func save(_, eventType string, data pesapost.Transaction) error {
	_, err := fmt.Println(eventType, data.Reference)
	return err
}

func handle(event pesapost.Event) {
	fmt.Println(event.Sequence, event.Type, event.Data.Reference)
}
