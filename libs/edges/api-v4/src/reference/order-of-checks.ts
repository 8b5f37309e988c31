import { type Refusal } from '../errors.js';

/** One check, in words, with the error that it gives. */
export interface CheckWords {
  readonly what: string;
  /** The signed routes that have this check. */
  readonly on: 'every' | 'body' | 'money-movement';
  readonly refusals: readonly Refusal[];
}

/**
 * The checks of a signed request in their order. The first that fails answers (AUTH-1). A spec compares this list with
 * `checks`, the ones that run.
 */
export const orderOfChecks: readonly CheckWords[] = [
  { what: 'Bearer token', on: 'every', refusals: ['invalid_token'] },
  { what: 'Source address', on: 'every', refusals: ['ip_not_allowed'] },
  { what: 'Signature headers present', on: 'every', refusals: ['missing_signature'] },
  { what: 'Timestamp', on: 'every', refusals: ['timestamp_expired'] },
  { what: 'Signature', on: 'every', refusals: ['invalid_signature'] },
  { what: 'Nonce', on: 'every', refusals: ['invalid_nonce'] },
  { what: 'Nonce fresh, then rate', on: 'every', refusals: ['nonce_reused', 'rate_limited'] },
  {
    what: 'Media type and JSON',
    on: 'body',
    refusals: ['unsupported_media_type', 'invalid_request'],
  },
  {
    what: 'Idempotency-Key present and well-formed',
    on: 'money-movement',
    refusals: ['missing_idempotency_key', 'invalid_idempotency_key'],
  },
];
