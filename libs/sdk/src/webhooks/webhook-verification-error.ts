const messages = {
  missing_header:
    'a webhook carries PesaPost-Signature, PesaPost-Event-Id and PesaPost-Timestamp, each once; ' +
    'is this request from PesaPost, and does a proxy keep its headers?',
  malformed_timestamp: 'PesaPost-Timestamp is not Unix seconds in decimal digits',
  malformed_signature:
    'PesaPost-Signature has no part of the form v4=<64 lower-case hexadecimal digits>',
  no_matching_signature:
    'no signature is that of this body under these secrets; pass the raw bytes of the body, not JSON that was ' +
    'parsed and written again, and the secret of this endpoint and mode',
  timestamp_out_of_tolerance:
    'the webhook is genuine but not of now: it is a replay, or one of the two clocks is wrong',
  malformed_payload: 'the webhook is genuine but its body is no webhook event',
} as const;

export type WebhookProblem = keyof typeof messages;

/** Why a request is not to be taken for a webhook. Answer 400 and do nothing that it says. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';

  constructor(readonly code: WebhookProblem) {
    super(messages[code]);
  }
}
