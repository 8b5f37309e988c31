package signing

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Request has the parts that a signature covers.
type Request struct {
	Method    string
	RawPath   string
	RawQuery  string
	Body      []byte
	Nonce     string
	Timestamp string
}

// StringToSign returns the six lines of AUTH-11, or an error if the query is malformed.
func StringToSign(request Request) (string, error) {
	query, err := CanonicalQuery(request.RawQuery)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256(request.Body)
	lines := []string{
		request.Method,
		request.RawPath,
		query,
		hex.EncodeToString(digest[:]),
		request.Nonce,
		request.Timestamp,
	}
	return strings.Join(lines, "\n"), nil
}
