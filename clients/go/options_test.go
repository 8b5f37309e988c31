package pesapost

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestKeysOfBothFormsAndWithEscapedLineFeedsAreAccepted(t *testing.T) {
	pkcs1 := pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(newKey(2048)))
	for _, key := range []string{testKey, pkcs1, strings.ReplaceAll(testKey, "\n", `\n`)} {
		options := optionsFor("http://127.0.0.1:1")
		options.PrivateKey = key
		if _, err := New(options); err != nil {
			t.Error(err)
		}
	}
}

func TestOtherKeysAreRefusedByTheirFault(t *testing.T) {
	curve := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	for fault, key := range map[string]string{
		"2048 bits":      pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(newKey(1024))),
		"not an RSA key": pemOf("PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(curve))),
		"encrypted":      pemOf("ENCRYPTED PRIVATE KEY", []byte("x")),
		"no private key": "-----BEGIN",
	} {
		options := optionsFor("http://127.0.0.1:1")
		options.PrivateKey = key
		var usage *UsageError
		if _, err := New(options); !errors.As(err, &usage) || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v", fault, err)
		}
	}
}

func TestOptionsThatCannotWorkAreRefused(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"no id":            func(options *Options) { options.ClientID = "" },
		"no secret":        func(options *Options) { options.ClientSecret = "" },
		"negative timeout": func(options *Options) { options.Timeout = -time.Second },
		"21 retries":       func(options *Options) { options.Retries = &RetryPolicy{MaxRetries: 21} },
		"negative delay":   func(options *Options) { options.Retries = &RetryPolicy{BaseDelay: -1} },
	} {
		options := optionsFor("http://127.0.0.1:1")
		change(&options)
		var usage *UsageError
		if _, err := New(options); !errors.As(err, &usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPrintedOptionsAndClientsShowNoSecret(t *testing.T) {
	options := optionsFor("http://127.0.0.1:1")
	client := must(New(options))
	text := fmt.Sprintf("%v %+v %#v %+v %#v", options, options, options, client, client)
	if strings.Contains(text, "secret-1") || strings.Contains(text, "PRIVATE KEY") {
		t.Error(text)
	}
}
