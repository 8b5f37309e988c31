import {
  type PushOutcome,
  type PushRequest,
  type QueryOutcome,
  Rail,
  type RailLimits,
} from '#domain/collections';
import { type Mode, modes } from '#domain/kernel';
import { type MpesaRailSettings } from '#infra/runtime';
import { type Keyring, sealToken } from '#shared/signing';
import { UnknownResults } from '#edges/rails';
import { DarajaAccount, type DarajaAccountOptions } from './daraja-account.js';

export interface DarajaRailOptions extends Omit<DarajaAccountOptions, 'mode' | 'settings'> {
  /** A mode without settings has no rail. */
  readonly rails: Readonly<Record<Mode, MpesaRailSettings | undefined>>;
  /** BASE_URL: what the rail calls back, without a trailing slash. */
  readonly baseUrl: string;
  readonly keyring: Keyring;
}

/** KES 250,000 a transaction. */
const maxMinor = 25_000_000n;

/** M-Pesa through Safaricom's Daraja, an account for each mode that is configured. */
export class DarajaRail extends Rail {
  readonly #options: DarajaRailOptions;
  readonly #accounts: ReadonlyMap<Mode, DarajaAccount>;
  readonly #pushes;
  readonly #pushSeconds;
  readonly #lateAnswers;
  readonly #queries;
  readonly #unknownResults;

  constructor(options: DarajaRailOptions) {
    super();
    this.#options = options;
    this.#accounts = new Map(
      modes.flatMap((mode) => {
        const settings = options.rails[mode];
        return settings ? [[mode, new DarajaAccount({ ...options, mode, settings })]] : [];
      }),
    );
    const { metrics } = options;
    this.#pushes = metrics.counter({
      name: 'rail_pushes_total',
      help: 'Pushes, by outcome within the request',
      labels: ['mode', 'outcome'],
    });
    this.#pushSeconds = metrics.histogram({
      name: 'rail_push_seconds',
      help: 'Time that a push took, its own retries included',
      labels: ['mode'],
    });
    this.#lateAnswers = metrics.counter({
      name: 'rail_late_push_answers_total',
      help: 'Pushes of unknown outcome, by the answer that came within another minute',
      labels: ['mode', 'outcome'],
    });
    this.#queries = metrics.counter({
      name: 'rail_queries_total',
      help: 'Status queries by outcome',
      labels: ['mode', 'outcome'],
    });
    this.#unknownResults = new UnknownResults(metrics);
  }

  limits(mode: Mode): RailLimits | undefined {
    const settings = this.#options.rails[mode];
    return settings && { maxMinor, stepMinor: settings.stepMinor, currencies: ['KES'] };
  }

  async push(request: PushRequest): Promise<PushOutcome> {
    const { mode, stream, phone, amountMinor, accountReference } = request;
    const account = this.#accounts.get(mode);
    if (!account) return { kind: 'refused', failureCode: 'rail_unavailable' };
    const { baseUrl, keyring } = this.#options;
    const callbackUrl = `${baseUrl}/rails/${sealToken(keyring, stream)}`;
    const end = this.#pushSeconds.startTimer({ mode });
    const outcome = await account.push({ phone, amountMinor, accountReference, callbackUrl });
    end();
    this.#pushes.inc({ mode, outcome: outcome.kind });
    if (outcome.kind === 'unknown')
      void outcome.late.then((answer) => {
        this.#lateAnswers.inc({ mode, outcome: answer?.kind ?? 'none' });
      });
    return outcome;
  }

  async query(mode: Mode, railReference: string): Promise<QueryOutcome> {
    const account = this.#accounts.get(mode);
    const outcome = account ? await account.query(railReference) : notAsked;
    this.#queries.inc({ mode, outcome: outcome.kind });
    if (outcome.kind === 'unresolved')
      this.#unknownResults.count(mode, 'query', outcome.unknownCode);
    return outcome;
  }

  /** Cuts off what is in flight; the process bounds how long it waits before. */
  async close(): Promise<void> {
    await Promise.all([...this.#accounts.values()].map((account) => account.close()));
  }
}

const notAsked: QueryOutcome = { kind: 'not_asked', why: 'unreachable' };
