import { PesaPost, PesaPostError, type PesaPostOptions } from '../src/index.js';
import { keys, type ScriptedService, type Turn } from './scripted-service.js';

/** Returns a client of the scripted service with short timeouts and quick retries. */
export function clientOf(
  service: ScriptedService,
  options: Partial<PesaPostOptions> = {},
): PesaPost {
  return new PesaPost({
    baseUrl: service.url,
    clientId: 'client-1',
    clientSecret: 'secret-1',
    privateKey: keys.private_key_pem,
    timeoutMs: 60_000,
    retries: { baseDelayMs: 1 },
    ...options,
  });
}

export const collection = {
  account_no: '10000001',
  phone: '254712345678',
  amount_minor: 25_000,
  currency: 'KES',
  channel: 'mpesa',
  reference: 'INV/1',
} as const;

export const accepted: Turn = {
  status: 202,
  headers: { 'X-PP-Ledger-Position': '41' },
  body: { status: 'pending', reference: 'INV/1', rail_reference: null, amount_minor: 25_000 },
};

export function item(status: string): Turn {
  return { status: 200, body: { status, amount_minor: 1 } };
}

export function refused(status: number, error: string, more: object = {}): Turn {
  return { status, body: { error, ...more }, headers: { 'X-Request-Id': 'r-1' } };
}

export function retryAfter(status: number, error: string, seconds: string): Turn {
  return { status, body: { error }, headers: { 'Retry-After': seconds } };
}

/** @throws Error if the call succeeded or failed otherwise */
export async function failureOf(call: Promise<unknown>): Promise<PesaPostError> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof PesaPostError)) throw new Error(`no PesaPostError: ${String(error)}`);
  return error;
}
