import { type Answer, eventually, type MerchantClient } from '#testing';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { railOf } from '../rail/airtel-process.js';
import { payOut } from './payouts.js';

/** Phones that pay, that pay without a callback, that lose the push's answer, and that call back twice. */
export const phones = [
  '254712345678',
  '254712345679',
  '254700000006',
  '254700000012',
  '254700000007',
] as const;

/**
 * The same over Airtel: pays, pays without a callback, calls back twice, calls back that it failed, and loses the push's
 * answer, with a callback and without; and one that fails, whose callback says that it was paid.
 */
export const airtelPhones = [
  '254733000001',
  '254733000012',
  '254733000013',
  '254733000015',
  '254733000022',
  '254733000023',
  '254733000014',
] as const;

/** The outcome of one request: an answer with its status, or none (`0`). */
export interface Outcome {
  readonly status: number;
  readonly tookMs: number;
  readonly retryAfter: string | null;
}

export interface LoadOptions {
  /** Prefix of each reference. */
  readonly name: string;
  readonly forMs: number;
  /** Minimum number of collections, however long a busy machine takes for them. */
  readonly atLeast?: number;
  readonly clients?: number;
  /** Requests go to each of them in turn; a repeat goes to the next one. */
  readonly merchants: readonly MerchantClient[];
  /** A number of Airtel's simulator is asked over Airtel. */
  readonly phones?: readonly string[];
  readonly payoutPhones?: readonly string[];
  /** Decides payouts, which are requested along with the collections if it is present. */
  readonly checker?: MerchantClient;
  /** Lets the minute pass for which a killed owner's key stays claimed. */
  readonly abandonClaim?: (reference: string) => Promise<void>;
}

export interface Load {
  readonly references: readonly string[];
  readonly payouts: readonly string[];
  readonly told: readonly Outcome[];
}

const patienceMs = 90_000;

/** Runs load, with the fault in its middle, until every request has a final answer. */
export async function underLoad(
  {
    name,
    forMs,
    atLeast = 0,
    merchants,
    checker,
    clients = 8,
    phones: dialled = phones,
    payoutPhones,
    abandonClaim,
  }: LoadOptions,
  fault: () => Promise<unknown>,
): Promise<Load> {
  const end = performance.now() + forMs;
  const references: string[] = [];
  const told: Outcome[] = [];
  const loop = async (client: number): Promise<void> => {
    while (performance.now() < end || references.length < atLeast) {
      const turn = references.length;
      const reference = `${name}-${client}-${turn}`;
      references.push(reference);
      const phone = dialled[turn % dialled.length] ?? '';
      await collectUntilAnswered(merchants, { reference, phone }, async (answer) => {
        told.push(answer);
        if (answer.status === 409) await abandonClaim?.(reference);
      });
    }
  };
  const loops = Array.from({ length: clients }, (_, client) => loop(client));
  const paying = checker
    ? payOut({ name, endMs: end, makers: merchants, checker, abandonClaim, phones: payoutPhones })
    : Promise.resolve([]);
  await sleep(forMs / 3);
  await fault();
  await Promise.all(loops);
  return { references, told, payouts: await paying };
}

/**
 * A client without an answer, or with "try again", repeats its request with the same reference and key, as the
 * interface allows.
 * @returns the status of the final answer
 */
export async function collectUntilAnswered(
  merchants: readonly MerchantClient[],
  fields: { readonly reference: string; readonly phone: string },
  onOutcome: (told: Outcome) => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  const key = randomUUID();
  let turn = fields.reference.length;
  return eventually(
    async () => {
      const merchant = merchants[(turn += 1) % merchants.length];
      const begun = performance.now();
      const request = { ...fields, channel: railOf(fields.phone) };
      const answer = await merchant?.collect(request, key).catch(() => undefined);
      await onOutcome(outcomeOf(answer, performance.now() - begun));
      return answer?.status ?? 0;
    },
    (status) => status === 202 || status === 502,
    { withinMs: patienceMs, everyMs: 200 },
  );
}

function outcomeOf(answer: Answer | undefined, tookMs: number): Outcome {
  const retryAfter = answer?.headers.get('retry-after') ?? null;
  return { status: answer?.status ?? 0, tookMs, retryAfter };
}
