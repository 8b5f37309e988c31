package main

import (
	"reflect"
	"strings"

	pesapost "github.com/pesapost/pesapost-go"
)

// withDigits writes an answer as JSON, and its amounts as digits. Members that have a field come from the field.
func withDigits(value any) any {
	if amount, is := value.(pesapost.Amount); is {
		return amount.String()
	}
	reflected := reflect.ValueOf(value)
	switch reflected.Kind() {
	case reflect.Pointer:
		if reflected.IsNil() {
			return nil
		}
		return withDigits(reflected.Elem().Interface())
	case reflect.Slice:
		written := make([]any, reflected.Len())
		for index := range written {
			written[index] = withDigits(reflected.Index(index).Interface())
		}
		return written
	case reflect.Map:
		written := map[string]any{}
		for _, name := range reflected.MapKeys() {
			written[name.String()] = withDigits(reflected.MapIndex(name).Interface())
		}
		return written
	case reflect.Struct:
		if members := reflected.FieldByName("Members"); members.IsValid() {
			return answerWithDigits(reflected, members.Interface().(pesapost.Members))
		}
	}
	return value
}

func answerWithDigits(answer reflect.Value, members pesapost.Members) map[string]any {
	written := withDigits(map[string]any(members)).(map[string]any)
	for _, field := range reflect.VisibleFields(answer.Type()) {
		name := strings.Split(field.Tag.Get("json"), ",")[0]
		// A null has the zero value in its field.
		if member, has := members[name]; has && member != nil {
			written[name] = withDigits(answer.FieldByIndex(field.Index).Interface())
		}
	}
	facts := map[string]string{"Existing": "existing", "Replayed": "replayed", "LedgerPosition": "ledger_position"}
	for field, name := range facts {
		if fact := answer.FieldByName(field); fact.IsValid() && fact.Interface() != "" {
			written[name] = fact.Interface()
		}
	}
	return written
}
