import { type Callback, memberObject, parseBytes, textOf } from '#edges/rails';

const idPattern = /^[A-Za-z0-9]{4,64}$/;

/**
 * Reads a callback (AIR-6). It names no amount, and its state may be an intermediate one, so each one that is no decline
 * only says that money may have arrived, and an enquiry decides. Returns undefined if the bytes are no callback.
 */
export function readCallback(bytes: Uint8Array): Callback | undefined {
  const transaction = memberObject(parseBytes(bytes), 'transaction');
  const railReference = transaction && textOf(transaction, 'id');
  const state = transaction && textOf(transaction, 'status_code');
  if (railReference === undefined || !idPattern.test(railReference) || state === undefined)
    return undefined;
  return state === 'TF'
    ? { railReference, verdict: { kind: 'declined', failureCode: 'rail_declined' } }
    : { railReference, verdict: { kind: 'paid', resultCode: 'TS' }, isAmountUnreadable: true };
}
