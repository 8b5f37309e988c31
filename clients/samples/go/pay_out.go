package main

import (
	"context"
	"fmt"
	"os"
	"time"

	pesapost "github.com/pesapost/pesapost-go"
)

func payOut(ctx context.Context, client *pesapost.Client) error {
	checker, err := newChecker()
	if err != nil {
		return err
	}
	// sample
	payout := pesapost.NewCollection{
		AccountNo:   os.Getenv("ACCOUNT_NO"),
		Phone:       "254712345678",
		AmountMinor: pesapost.Minor(1_000),
		Currency:    "KES",
		Channel:     "mpesa",
		Reference:   fmt.Sprint("PAY-", time.Now().UnixNano()),
	}
	asked, err := client.Payouts.Request(ctx, payout)
	if err != nil {
		return err
	}
	fmt.Println(asked.Status) // pending_approval

	// Another holder approves it, with a credential of their own.
	approved, err := checker.Payouts.Approve(ctx, payout.Reference, &pesapost.PayoutRepeat{
		Phone:       payout.Phone,
		AmountMinor: payout.AmountMinor.Ptr(),
	})
	if err != nil {
		return err
	}
	fmt.Println(approved.Status) // pending
	// end
	return nil
}
