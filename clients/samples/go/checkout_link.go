package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

func checkoutLink() {
	// sample
	now := time.Now()
	link := url.Values{
		"account_no":   {os.Getenv("ACCOUNT_NO")},
		"amount_minor": {"25000"}, // KES 250.00
		"currency":     {"KES"},
		"reference":    {fmt.Sprint("ORDER-", now.UnixNano())},
		"return_url":   {"https://shop.example/paid"},
		"key_id":       {os.Getenv("CHECKOUT_KEY_ID")},
		"nonce":        {fmt.Sprint("nonce-", now.UnixNano())},
		"timestamp":    {strconv.FormatInt(now.Unix(), 10)},
	}
	query := strings.ReplaceAll(link.Encode(), "+", "%20")
	mac := hmac.New(sha256.New, []byte(os.Getenv("CHECKOUT_SECRET")))
	mac.Write([]byte(query))
	hash := hex.EncodeToString(mac.Sum(nil))
	fmt.Printf("%s/checkout?%s&hash=%s\n", os.Getenv("BASE_URL"), query, hash)
	// end
}
