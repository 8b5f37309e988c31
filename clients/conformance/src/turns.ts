import { type SeenRequest, type Turn } from '../../../libs/sdk/test/scripted-service.js';

/** A request for a collection, as a driver takes it. */
export const collection = {
  account_no: '10000001',
  phone: '254712345678',
  amount_minor: '25000',
  currency: 'KES',
  channel: 'mpesa',
  reference: 'INV/1',
} as const;

/** The answer to `collection`. */
export const accepted = answer(202, {
  status: 'pending',
  reference: 'INV/1',
  rail_reference: null,
  amount_minor: 25_000,
  currency: 'KES',
});

export function answer(status: number, body: object, headers: Record<string, string> = {}): Turn {
  return { status, body, headers };
}

export function refused(status: number, error: string, headers: Record<string, string> = {}): Turn {
  return answer(status, { error }, headers);
}

/** Returns an answer with exactly this body. */
export function raw(status: number, text: string, headers: Record<string, string> = {}): Turn {
  return { status, body: undefined, text, headers };
}

export function header(requests: readonly SeenRequest[], name: string): (string | undefined)[] {
  return requests.map(({ headers }) => headers[name]);
}
