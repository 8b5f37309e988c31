package main

import (
	"os"

	pesapost "github.com/pesapost/pesapost-go"
)

func newChecker() (*pesapost.Client, error) {
	key, err := os.ReadFile("checker.key")
	if err != nil {
		return nil, err
	}
	return pesapost.New(pesapost.Options{
		BaseURL:      os.Getenv("BASE_URL"),
		ClientID:     os.Getenv("CHECKER_ID"),
		ClientSecret: os.Getenv("CHECKER_SECRET"),
		PrivateKey:   string(key),
	})
}
