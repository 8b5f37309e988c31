import {
  type PushAnswer,
  type QueryOutcome,
  type RailLimits,
  type RailPayment,
} from '#domain/rails';
import { instantFromMs, type Mode } from '#domain/kernel';
import {
  type AnsweredPush,
  type Callback,
  type Prompt,
  RailAddresses,
  type RailAdapter,
} from '#edges/rails';

/** The customer's action, which decides the outcome on the rail. */
type Customer = 'pays' | 'declines' | 'waits';

export const pigeonAddress = '198.51.100.4';
/** The rail refuses pushes to it at once. */
export const unknownPhone = '254700000011';
/** Answers to pushes to it are lost. */
export const lostPhone = '254700000012';

/** A rail for tests, in memory. Its callbacks are lines: `<reference> <paid|declined> <amount> <time>`. */
export class PigeonRail implements RailAdapter {
  readonly channel: string = 'pigeon';
  readonly acknowledgement = { coo: true };
  readonly prompts: (Prompt & { readonly railReference: string })[] = [];
  readonly customers = new Map<string, Customer>();
  readonly asked: string[] = [];
  readonly #addresses = new RailAddresses({ demo: [pigeonAddress], live: undefined });

  constructor(private readonly isReachable = true) {}

  limits(mode: Mode): RailLimits | undefined {
    return mode === 'demo'
      ? { maxMinor: 10_000_000n, stepMinor: 50n, currencies: ['KES'] }
      : undefined;
  }

  push(prompt: Prompt): Promise<AnsweredPush> {
    if (!this.isReachable || prompt.mode === 'live' || prompt.phone === unknownPhone)
      return Promise.resolve({ kind: 'refused', failureCode: 'rail_unavailable' });
    const railReference = `P-${crypto.randomUUID()}`;
    this.prompts.push({ ...prompt, railReference });
    const answer: PushAnswer = { kind: 'accepted', railReference };
    const lost: AnsweredPush = { kind: 'unknown', late: Promise.resolve(undefined) };
    return Promise.resolve(prompt.phone === lostPhone ? lost : answer);
  }

  query({ mode, railReference }: Omit<RailPayment, 'channel'>): Promise<QueryOutcome> {
    if (!this.isReachable || mode === 'live')
      return Promise.resolve({ kind: 'not_asked', why: 'unreachable' });
    this.asked.push(railReference);
    const customer = this.customers.get(railReference) ?? 'waits';
    const raw = Buffer.from(`${railReference} ${customer}`);
    const answers: Readonly<Record<Customer, QueryOutcome>> = {
      pays: { kind: 'paid', resultCode: 'paid', raw },
      declines: { kind: 'declined', failureCode: 'cancelled', raw },
      waits: { kind: 'unresolved' },
    };
    return Promise.resolve(answers[customer]);
  }

  readCallback(bytes: Uint8Array): Callback | undefined {
    const told = /^(P-[\w-]+) (paid|declined)(?: (\S+) (\S+))?$/.exec(
      Buffer.from(bytes).toString(),
    );
    const [, railReference, what, amount = '', time = ''] = told ?? [];
    if (railReference === undefined) return undefined;
    if (what === 'declined')
      return { railReference, verdict: { kind: 'declined', failureCode: 'cancelled' } };
    const paid = { kind: 'paid', resultCode: 'paid' } as const;
    if (!/^[1-9]\d*$/.test(amount))
      return { railReference, verdict: paid, isAmountUnreadable: true };
    const atMs = Date.parse(time);
    const paidAt = Number.isNaN(atMs) ? {} : { paidAt: instantFromMs(atMs) };
    return { railReference, verdict: { ...paid, amountMinor: BigInt(amount), ...paidAt } };
  }

  isOwnAddress(mode: Mode, address: string | undefined): boolean {
    return this.#addresses.has(mode, address);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
