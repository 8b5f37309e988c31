package pesapost

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// Members are all members of an answer by their names in JSON, also those that have no field (SDK-12).
//
// A member whose name ends in _minor is an Amount at any depth. Other numbers are json.Number, so none is rounded.
type Members map[string]any

var errNoObject = errors.New("pesapost: not a JSON object")

// decodeMembers decodes an object twice: into the type's fields, and with all members.
func decodeMembers(text []byte, fields any, members *Members) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var all map[string]any
	if err := decoder.Decode(&all); err != nil {
		return err
	}
	if all == nil {
		return errNoObject
	}
	if err := json.Unmarshal(text, fields); err != nil {
		return err
	}
	*members, _ = withAmounts("", all).(map[string]any)
	return nil
}

func withAmounts(name string, value any) any {
	switch value := value.(type) {
	case map[string]any:
		for each, member := range value {
			value[each] = withAmounts(each, member)
		}
	case []any:
		for index, member := range value {
			value[index] = withAmounts("", member)
		}
	case json.Number:
		return amountIn(name, value.String(), value)
	case string:
		return amountIn(name, value, value)
	}
	return value
}

// amountIn also reads digits in quotes, because a service may quote long amounts.
func amountIn(name, digits string, otherwise any) any {
	var amount Amount
	if !strings.HasSuffix(name, "_minor") || amount.UnmarshalJSON([]byte(digits)) != nil {
		return otherwise
	}
	return amount
}
