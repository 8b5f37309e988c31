import { shillings } from './callback-body.js';

/** An answer of Airtel's over HTTP. */
export interface AirtelAnswer {
  readonly status: number;
  readonly body: string;
}

/** The content of an answer about a push or a payout. */
interface Told {
  readonly id?: string;
  readonly state?: string;
  /** The whole code, such as `DP00800001006`. */
  readonly code: string;
  readonly isSuccess?: boolean;
  /** Airtel's own id of a payment that was made. */
  readonly moneyId?: string;
}

const codes = { collections: 'DP00800001', payouts: 'DP00900001' } as const;

export function airtelCode(about: keyof typeof codes, digits: string): string {
  return codes[about] + digits;
}

/** Returns an answer in Airtel's envelope. Airtel answers 200 even if it refuses. */
export function airtelAnswer({ id, state, code, isSuccess = true, moneyId }: Told): AirtelAnswer {
  const names = moneyId === undefined ? {} : { airtel_money_id: moneyId, reference_id: moneyId };
  const transaction = { ...(id === undefined ? {} : { id }), status: state, message: '', ...names };
  const status = { code: '200', response_code: code, success: isSuccess, result_code: '' };
  return { status: 200, body: JSON.stringify({ data: { transaction }, status }) };
}

/** Returns the page of a gateway before Airtel, which says nothing. */
export function gatewayPage(): AirtelAnswer {
  return { status: 502, body: '<html>Bad Gateway</html>' };
}

/** Returns the answer to a question that Airtel had no time for. */
export function tooManyRequests(): AirtelAnswer {
  return { status: 429, body: '' };
}

/** Returns the balance of the account that pays out, with commas as Airtel writes them. */
export function airtelBalance(minor: bigint): AirtelAnswer {
  const [whole = '0', cents] = shillings(minor < 0n ? 0n : minor).split('.');
  const balance = `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${cents ?? '00'}`;
  const status = { code: '200', success: true };
  return { status: 200, body: JSON.stringify({ data: { balance, currency: 'KES' }, status }) };
}

/** Returns the body of a callback. It names no amount. */
export function hintBody(id: string, state: string): Buffer {
  const transaction = { id, message: '', status_code: state, airtel_money_id: `CI.${id}` };
  return Buffer.from(JSON.stringify({ transaction }));
}
