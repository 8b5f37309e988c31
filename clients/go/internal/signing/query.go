// Package signing makes the signature of a request (AUTH-11 to AUTH-13).
package signing

import (
	"errors"
	"net/url"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"
)

// Parameter is a name and a value of a query, not encoded.
type Parameter struct{ Name, Value string }

var (
	visibleASCII = regexp.MustCompile(`^[\x21-\x7e]*$`)
	reserved     = regexp.MustCompile(`[^A-Za-z0-9._~-]`)
)

// EncodePart percent-encodes by RFC 3986: only unreserved characters are kept.
func EncodePart(text string) string {
	var encoded strings.Builder
	for index := 0; index < len(text); index++ {
		if char := text[index : index+1]; reserved.MatchString(char) {
			const digits = "0123456789ABCDEF"
			encoded.WriteByte('%')
			encoded.WriteByte(digits[text[index]>>4])
			encoded.WriteByte(digits[text[index]&15])
		} else {
			encoded.WriteString(char)
		}
	}
	return encoded.String()
}

// EncodeQuery returns the one spelling that both ends sign: encoded, sorted and joined.
func EncodeQuery(parameters []Parameter) string {
	encoded := make([]Parameter, 0, len(parameters))
	for _, each := range parameters {
		encoded = append(encoded, Parameter{EncodePart(each.Name), EncodePart(each.Value)})
	}
	sort.Slice(encoded, func(one, other int) bool {
		if encoded[one].Name != encoded[other].Name {
			return encoded[one].Name < encoded[other].Name
		}
		return encoded[one].Value < encoded[other].Value
	})
	parts := make([]string, 0, len(encoded))
	for _, each := range encoded {
		parts = append(parts, each.Name+"="+each.Value)
	}
	return strings.Join(parts, "&")
}

// CanonicalQuery returns the canonical spelling of a query as sent (AUTH-12), or an error if it is malformed.
func CanonicalQuery(rawQuery string) (string, error) {
	var parameters []Parameter
	for _, segment := range strings.Split(rawQuery, "&") {
		if segment == "" {
			continue
		}
		if !visibleASCII.MatchString(segment) {
			return "", errors.New("a query contains a character that must be percent-encoded")
		}
		name, value, _ := strings.Cut(segment, "=")
		decodedName, nameError := decode(name)
		decodedValue, valueError := decode(value)
		if nameError != nil || valueError != nil {
			return "", errors.New("a query contains a broken percent-encoding")
		}
		parameters = append(parameters, Parameter{decodedName, decodedValue})
	}
	return EncodeQuery(parameters), nil
}

// decode keeps a plus sign, which PathUnescape does too.
func decode(text string) (string, error) {
	decoded, err := url.PathUnescape(text)
	if err == nil && !utf8.ValidString(decoded) {
		err = errors.New("not UTF-8")
	}
	return decoded, err
}
