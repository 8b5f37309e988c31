import { type Callback, memberObject, parseBytes, textOf } from '#edges/rails';

const idPattern = /^[A-Za-z0-9]{4,64}$/;

/**
 * Reads a callback (AIR-6). It names no amount, so TS only says that money may have arrived, and an enquiry decides. An
 * intermediate state says nothing. Returns undefined if the bytes are no callback.
 */
export function readCallback(bytes: Uint8Array): Callback | undefined {
  const transaction = memberObject(parseBytes(bytes), 'transaction');
  const railReference = transaction && textOf(transaction, 'id');
  const state = transaction && textOf(transaction, 'status_code');
  if (railReference === undefined || !idPattern.test(railReference) || state === undefined)
    return undefined;
  switch (state) {
    case 'TS':
      return {
        railReference,
        verdict: { kind: 'paid', resultCode: 'TS' },
        isAmountUnreadable: true,
      };
    case 'TF':
      return { railReference, verdict: { kind: 'declined', failureCode: 'rail_declined' } };
    default:
      return { railReference, verdict: { kind: 'unresolved' } };
  }
}
