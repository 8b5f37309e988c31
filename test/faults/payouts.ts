import { eventually, type MerchantClient, type Service } from '#testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { railOf } from '../rail/airtel-process.js';

/** Paid; its answer lost; its result lost, so that a query reports it; reported twice; failed by its result. */
export const payoutPhones = [
  '254712345678',
  '254700000103',
  '254700000104',
  '254700000105',
  '254700000102',
] as const;
/** Over Airtel: paid at once, its answer lost, and failed after an unclear answer. */
export const airtelPayoutPhones = ['254733000001', '254733000106', '254733000110'] as const;
const patience = { withinMs: 90_000, everyMs: 200 } as const;
/** The pause between two payouts of a program: they are few compared with the collections. */
const pauseMs = 50;

/** A collection that pays for all payouts of a suite. @returns its reference */
export async function funded(service: Service): Promise<string> {
  const reference = `funds-${randomUUID()}`;
  await service.merchant.collect({ reference, amount_minor: 10_000_000 });
  const { accountNo } = service.merchant.credentials;
  await eventually(
    () => service.merchant.get(`/api/v4/accounts/${accountNo}/balance`),
    ({ body }) => Number(body['available_minor']) > 9_000_000,
  );
  return reference;
}

/** The requester and the decider of payouts, until the time is over. */
export interface PayoutLoad {
  readonly name: string;
  readonly endMs: number;
  readonly makers: readonly MerchantClient[];
  readonly checker: MerchantClient;
  readonly abandonClaim?: ((reference: string) => Promise<void>) | undefined;
  readonly phones?: readonly string[] | undefined;
}

/** Requests payouts and decides them, one after the other: most are approved, each seventh is rejected. */
export async function payOut(load: PayoutLoad): Promise<readonly string[]> {
  const references: string[] = [];
  while (performance.now() < load.endMs) {
    const turn = references.length;
    const reference = `${load.name}-out-${turn}`;
    references.push(reference);
    const { phones = payoutPhones } = load;
    const phone = phones[turn % phones.length] ?? '';
    await askUntilAnswered(load, { reference, phone });
    await decideUntilAnswered(load, reference, turn % 7 === 6 ? 'reject' : 'approve');
    await sleep(pauseMs);
  }
  return references;
}

/** Repeats the request with the same reference and key, as the interface allows. */
export function askUntilAnswered(
  { makers, abandonClaim }: Pick<PayoutLoad, 'makers' | 'abandonClaim'>,
  { reference, phone }: { readonly reference: string; readonly phone: string },
  key: string = randomUUID(),
): Promise<number> {
  let turn = reference.length;
  return untilAnswered(reference, abandonClaim, () =>
    askOnce(makers[(turn += 1) % makers.length], { reference, phone }, key),
  );
}

/** @returns the answer's status; 0 if there was none */
export function askOnce(
  maker: MerchantClient | undefined,
  fields: { readonly reference: string; readonly phone: string },
  key: string,
): Promise<number> {
  const account_no = maker?.credentials.accountNo;
  const channel = railOf(fields.phone);
  const body = { account_no, amount_minor: 1_000, currency: 'KES', channel, ...fields };
  return post(maker, '/api/v4/payouts', body, key);
}

export function decideUntilAnswered(
  { checker, abandonClaim }: Pick<PayoutLoad, 'checker' | 'abandonClaim'>,
  reference: string,
  verdict: 'approve' | 'reject',
  key: string = randomUUID(),
): Promise<number> {
  return untilAnswered(reference, abandonClaim, () =>
    decideOnce(checker, { reference, verdict }, key),
  );
}

/** @returns the answer's status; 0 if there was none */
export function decideOnce(
  checker: MerchantClient,
  { reference, verdict }: { readonly reference: string; readonly verdict: 'approve' | 'reject' },
  key: string,
): Promise<number> {
  return post(checker, `/api/v4/payouts/${reference}/${verdict}`, {}, key);
}

/** @returns the answer's status; 0 if there was none */
export function cancelOnce(
  maker: MerchantClient | undefined,
  reference: string,
  key: string,
): Promise<number> {
  return post(maker, `/api/v4/payouts/${reference}/cancel`, {}, key);
}

/** Requests a batch of two payouts. @returns the answer's status; 0 if there was none */
export function askForBatch(
  maker: MerchantClient | undefined,
  { reference, phone }: { readonly reference: string; readonly phone: string },
  key: string,
): Promise<number> {
  const account_no = maker?.credentials.accountNo;
  const items = itemsOf(reference).map((item, index) => {
    return { reference: item, phone, amount_minor: 1_000 + index };
  });
  const body = { reference, account_no, currency: 'KES', channel: 'mpesa', items };
  return post(maker, '/api/v4/payout-batches', body, key);
}

/** The references of a batch's payouts. */
export function itemsOf(batch: string): readonly string[] {
  return [`${batch}/a`, `${batch}/b`];
}

/** @returns the answer's status; 0 if there was none */
export function approveBatch(
  checker: MerchantClient,
  reference: string,
  key: string,
): Promise<number> {
  return post(checker, `/api/v4/payout-batches/${reference}/approve`, {}, key);
}

export async function untilAnswered(
  reference: string,
  abandonClaim: PayoutLoad['abandonClaim'],
  ask: () => Promise<number>,
): Promise<number> {
  return eventually(
    async () => {
      const status = await ask();
      if (status === 409) await abandonClaim?.(reference);
      return status;
    },
    (status) => status === 202,
    patience,
  );
}

async function post(
  client: MerchantClient | undefined,
  path: string,
  body: object,
  key: string,
): Promise<number> {
  const headers = { 'idempotency-key': key };
  const answer = await client
    ?.send('POST', path, { body: JSON.stringify(body), headers })
    .catch(() => undefined);
  return answer?.status ?? 0;
}
