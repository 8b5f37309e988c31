package signing

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"strings"
)

const (
	minKeyBits = 2048
	makeNew    = "; make one with: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out private.pem"
)

// Key is an RSA key of 2048 bits or more.
type Key struct{ private *rsa.PrivateKey }

// ReadKey reads a PEM. Line feeds may be written as \n, as in environment variables. No error has a part of the key.
func ReadKey(text string) (*Key, error) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\r`, ""), `\n`, "\n")
	if strings.Contains(text, "ENCRYPTED") {
		return nil, errors.New("is encrypted" + makeNew)
	}
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("is no private key in PEM" + makeNew)
	}
	key, err := parse(block.Bytes)
	if err != nil {
		return nil, err
	}
	if key.N.BitLen() < minKeyBits {
		return nil, errors.New("has fewer than 2048 bits" + makeNew)
	}
	return &Key{key}, nil
}

func parse(der []byte) (*rsa.PrivateKey, error) {
	if key, err := x509.ParsePKCS1PrivateKey(der); err == nil {
		return key, nil
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, errors.New("is no private key in PEM" + makeNew)
	}
	key, isRSA := parsed.(*rsa.PrivateKey)
	if !isRSA {
		return nil, errors.New("is not an RSA key" + makeNew)
	}
	return key, nil
}

// Sign returns RSASSA-PKCS1-v1_5 with SHA-256 over the text's UTF-8, in standard base64.
func (key *Key) Sign(text string) (string, error) {
	digest := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key.private, crypto.SHA256, digest[:])
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(signature), nil
}
