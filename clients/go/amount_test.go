package pesapost

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"
)

func TestAmountsAreExactAtAnySize(t *testing.T) {
	huge := BigMinor(new(big.Int).Lsh(big.NewInt(1), 100))
	for _, amount := range []Amount{{}, Minor(25_000), Minor(math.MinInt64), huge} {
		var read Amount
		if err := json.Unmarshal(must(json.Marshal(amount)), &read); err != nil || read != amount {
			t.Errorf("%s became %s: %v", amount, read, err)
		}
	}
	if _, fits := huge.Int64(); fits {
		t.Error("2^100 fits in an int64")
	}
	if sum := huge.Add(Minor(1)); sum.String() != "1267650600228229401496703205377" || sum.Cmp(huge) != 1 {
		t.Error(sum)
	}
}

func TestEqualAmountsAreEqualByTheOperator(t *testing.T) {
	for _, text := range []string{"0", "-0", `"0"`} {
		amount := Minor(1)
		if err := json.Unmarshal([]byte(text), &amount); err != nil || amount != Minor(0) || amount != (Amount{}) {
			t.Errorf("%s: %v, %v", text, amount, err)
		}
	}
}

func TestAnythingButAnIntegerIsNoAmount(t *testing.T) {
	for _, text := range []string{"250.5", "1e3", "null", "true", `"KES 250"`, `""`, `"01"`, "{}"} {
		var item struct {
			Amount Amount `json:"amount_minor"`
		}
		if json.Unmarshal([]byte(`{"amount_minor":`+text+`}`), &item) == nil {
			t.Errorf("%s became %s", text, item.Amount)
		}
	}
}

func TestMembersHaveNoRoundedNumber(t *testing.T) {
	var transaction Transaction
	text := `{"rate":1.10,"more":[{"sum_minor":"123456789012345678901"}]}`
	if err := json.Unmarshal([]byte(text), &transaction); err != nil {
		t.Fatal(err)
	}
	if rate := transaction.Members["rate"]; rate != json.Number("1.10") {
		t.Errorf("%v", rate)
	}
	more := transaction.Members["more"].([]any)[0].(map[string]any)
	if sum := more["sum_minor"].(Amount); sum.String() != "123456789012345678901" {
		t.Error(sum)
	}
}
