package pesapost

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Amount is a number of minor units, exact at any size (SDK-13): KES 250.00 is Minor(25_000).
//
// The zero value is 0. Two amounts are equal if == says so, and an amount never changes.
type Amount struct{ digits string }

var integer = regexp.MustCompile(`^(0|-?[1-9][0-9]*)$`)

// Minor returns the amount of so many minor units.
func Minor(units int64) Amount { return amountOf(strconv.FormatInt(units, 10)) }

// BigMinor returns the amount of so many minor units, for amounts beyond int64.
func BigMinor(units *big.Int) Amount { return amountOf(units.String()) }

// amountOf keeps 0 as the empty text, so that the zero value is equal to it.
func amountOf(digits string) Amount {
	if digits == "0" {
		return Amount{}
	}
	return Amount{digits}
}

// Ptr returns a pointer to the amount, for members that may be absent.
func (amount Amount) Ptr() *Amount { return &amount }

// String returns the minor units in decimal digits.
func (amount Amount) String() string {
	if amount.digits == "" {
		return "0"
	}
	return amount.digits
}

// Big returns the minor units as a number of the caller's own.
func (amount Amount) Big() *big.Int {
	units, _ := new(big.Int).SetString(amount.String(), 10)
	return units
}

// Int64 returns the minor units, and false if they do not fit in an int64.
func (amount Amount) Int64() (int64, bool) {
	units, err := strconv.ParseInt(amount.String(), 10, 64)
	return units, err == nil
}

// Add returns the sum.
func (amount Amount) Add(other Amount) Amount {
	sum := amount.Big()
	return BigMinor(sum.Add(sum, other.Big()))
}

// Cmp returns -1, 0 or +1 if the amount is less than, equal to or more than the other.
func (amount Amount) Cmp(other Amount) int { return amount.Big().Cmp(other.Big()) }

// MarshalJSON writes a JSON number with exactly these digits.
func (amount Amount) MarshalJSON() ([]byte, error) { return []byte(amount.String()), nil }

// UnmarshalJSON reads an integer, also one in quotes. It refuses everything else, such as 250.5, 1e3 and null.
func (amount *Amount) UnmarshalJSON(text []byte) error {
	digits := string(text)
	if len(digits) > 1 && digits[0] == '"' {
		digits = strings.Trim(digits, `"`)
	}
	if digits == "-0" {
		digits = "0"
	}
	if !integer.MatchString(digits) {
		return fmt.Errorf("pesapost: an amount is an integer of minor units, not %s", text)
	}
	*amount = amountOf(digits)
	return nil
}
