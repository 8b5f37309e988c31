package main

import (
	"log"
	"os"

	pesapost "github.com/pesapost/pesapost-go"
)

func newClient() *pesapost.Client {
	// sample
	key, err := os.ReadFile("merchant.key")
	if err != nil {
		log.Fatal(err)
	}
	// It gets the token, keeps it and renews it.
	client, err := pesapost.New(pesapost.Options{
		BaseURL:      os.Getenv("BASE_URL"),
		ClientID:     os.Getenv("CLIENT_ID"),
		ClientSecret: os.Getenv("CLIENT_SECRET"),
		PrivateKey:   string(key),
	})
	if err != nil {
		log.Fatal(err)
	}
	// end
	return client
}
