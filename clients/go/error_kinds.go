package pesapost

// Kind is a group of error codes.
type Kind string

const (
	// KindAuthentication: the token, address or signature is wrong. Check the set-up, or a clock.
	KindAuthentication Kind = "authentication"
	// KindRequest: the request is not well-formed. Detail names the field and the rule.
	KindRequest Kind = "request"
	// KindNotFound: there is no item with that name.
	KindNotFound Kind = "not_found"
	// KindRefused: the request is well-formed, and declined.
	KindRefused Kind = "refused"
	// KindIdempotency: the Idempotency-Key is in use, or was used for another body.
	KindIdempotency Kind = "idempotency"
	// KindRateLimit and KindService: try again later.
	KindRateLimit Kind = "rate_limit"
	KindService   Kind = "service"
	// KindNetwork and KindTimeout: no answer came, and it is unknown if the request arrived.
	KindNetwork Kind = "network"
	KindTimeout Kind = "timeout"
	// KindCanceled: the caller canceled the context, and it is unknown if the request arrived.
	KindCanceled Kind = "canceled"
	// KindNotSettled: a wait is over, and the collection may still settle.
	KindNotSettled Kind = "not_settled"
	// KindUnknown: the answer is not PesaPost's, or its code is newer than this client.
	KindUnknown Kind = "unknown"
)

const (
	codeUnexpectedAnswer = "unexpected_answer"
	codeInvalidToken     = "invalid_token"
)

// ErrorKinds returns every error code of PesaPost with its kind.
func ErrorKinds() map[string]Kind {
	kinds := make(map[string]Kind, len(errorKinds))
	for code, kind := range errorKinds {
		kinds[code] = kind
	}
	return kinds
}

var errorKinds = map[string]Kind{
	"invalid_token":           KindAuthentication,
	"ip_not_allowed":          KindAuthentication,
	"missing_signature":       KindAuthentication,
	"timestamp_expired":       KindAuthentication,
	"invalid_signature":       KindAuthentication,
	"invalid_nonce":           KindAuthentication,
	"nonce_reused":            KindAuthentication,
	"invalid_client":          KindAuthentication,
	"unsupported_grant_type":  KindAuthentication,
	"missing_idempotency_key": KindRequest,
	"invalid_idempotency_key": KindRequest,
	"invalid_cursor":          KindRequest,
	"invalid_request":         KindRequest,
	"invalid_account":         KindRequest,
	"invalid_phone":           KindRequest,
	"invalid_amount":          KindRequest,
	"invalid_currency":        KindRequest,
	"invalid_channel":         KindRequest,
	"invalid_reference":       KindRequest,
	"invalid_type":            KindRequest,
	"invalid_status":          KindRequest,
	"invalid_date":            KindRequest,
	"invalid_limit":           KindRequest,
	"invalid_position":        KindRequest,
	"invalid_sequence":        KindRequest,
	"method_not_allowed":      KindRequest,
	"payload_too_large":       KindRequest,
	"unsupported_media_type":  KindRequest,
	"not_found":               KindNotFound,
	"same_holder":             KindRefused,
	"not_refundable":          KindRefused,
	"destination_not_allowed": KindRefused,
	"not_pending_approval":    KindRefused,
	"not_cancellable":         KindRefused,
	"insufficient_funds":      KindRefused,
	"limit_exceeded":          KindRefused,
	"rail_rejected":           KindRefused,
	"idempotency_in_progress": KindIdempotency,
	"idempotency_key_reused":  KindIdempotency,
	"rate_limited":            KindRateLimit,
	"internal_error":          KindService,
	"service_unavailable":     KindService,
}
