import { Clock } from '#domain/kernel';
import { type Logger, Loop, Metrics } from '#infra/runtime';
import { type AnsweredRequest, AnswerWatch, maskedTarget } from '#shared/http';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { MerchantPagesOptions } from '../options.js';
import { CallRecords, type LoggedCall } from '#records/credentials';
import { Allowance } from './allowance.js';

const writeEveryMs = 1000;
const writeUsesEveryMs = 5000;
const maxBackoffMs = 60_000;
const stopDeadlineMs = 1000;
/** Refused calls that are kept in a minute, of one credential and of all. More would not help; they are only counted. */
const refusedLimits = { everyMs: 60_000, ofOne: 30, ofAll: 600 } as const;
/** Accepted calls that are kept in a second, of one merchant and mode and of all. The others are only counted. */
const acceptedLimits = { everyMs: 1000, ofOne: 5, ofAll: 200 } as const;
/** Most calls that are not written yet. It limits the memory, and the size of a statement. */
const maxBuffered = 1000;
/** Most credentials with uses that are not written yet. It limits the memory while Postgres is down. */
const maxCredentials = 20_000;
/** After this many accepted calls of a merchant and mode, this process deletes the oldest of them. */
const trimAfter = 1000;

/** Routes of the APIs only: a browser's pages are no calls of a credential. */
const prefix = /^\/(?:api\/)?v[34]\//;
/** Only V4's accepted calls, and only V4's paths, are stored: a V3 path contains links with their hashes. */
const v4Prefix = '/api/v4/';

type Call = AnsweredRequest & { readonly credentialId: string; readonly atMs: number };

/** `refused`, `sampled`: over the limit of refused or accepted calls. `full`: the buffer was full. */
type Reason = 'refused' | 'sampled' | 'full';

/**
 * Notes which credentials are used, to the minute, and which calls they made (POR-21, POR-105). It keeps the notes in
 * memory and writes them about once a second. No call waits for that, and notes that Postgres does not store are lost.
 */
@Injectable()
export class CallLog extends AnswerWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #uses = new Map<string, number>();
  #usesWrittenMs = 0;
  #calls: Call[] = [];
  /** Accepted calls written since the last trim, by merchant and mode. */
  readonly #written = new Map<string, number>();
  readonly #refused = new Allowance(refusedLimits);
  readonly #accepted = new Allowance(acceptedLimits);
  #isDropping = false;
  private readonly logger: Logger;
  private readonly loop: Loop;
  private readonly dropped;

  constructor(
    private readonly records: CallRecords,
    private readonly clock: Clock,
    metrics: Metrics,
    { logger }: MerchantPagesOptions,
  ) {
    super();
    this.logger = logger;
    this.loop = new Loop({
      name: 'call-log',
      step: () => this.write(),
      idleMs: writeEveryMs,
      maxBackoffMs,
      stopDeadlineMs,
      logger,
      metrics,
    });
    this.dropped = metrics.counter({
      name: 'api_calls_not_logged_total',
      help: 'Calls that are on no merchant’s page. refused, sampled: over the limit of refused or accepted calls; full: too many calls waited to be written',
      labels: ['reason'],
    });
    for (const reason of ['refused', 'sampled', 'full'] satisfies Reason[])
      this.dropped.inc({ reason }, 0);
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  override answered(request: AnsweredRequest): void {
    const { credentialId, route, status, code } = request;
    if (credentialId === undefined || !prefix.test(route)) return;
    const atMs = this.clock.nowMs();
    if (status !== 401 && status !== 403) this.#use(credentialId, atMs);
    if (code === undefined && !isOfMerchant(request)) return;
    const reason = this.#reasonToDrop(request, credentialId, atMs);
    if (reason === undefined) this.#calls.push({ ...request, credentialId, atMs });
    else this.#drop(reason);
  }

  #use(credentialId: string, nowMs: number): void {
    if (this.#uses.has(credentialId) || this.#uses.size < maxCredentials)
      this.#uses.set(credentialId, nowMs);
  }

  #reasonToDrop(request: AnsweredRequest, credentialId: string, nowMs: number): Reason | undefined {
    const { code, merchantId = '', mode = '' } = request;
    if (code !== undefined && !this.#refused.admits(credentialId, nowMs)) return 'refused';
    if (code === undefined && !this.#accepted.admits(`${merchantId} ${mode}`, nowMs))
      return 'sampled';
    return this.#calls.length >= maxBuffered ? 'full' : undefined;
  }

  #drop(reason: Reason): void {
    this.dropped.inc({ reason });
    if (reason !== 'full' || this.#isDropping) return;
    this.#isDropping = true;
    this.logger.warn(
      { waiting: this.#calls.length },
      'the log of API calls drops calls, because they are not written fast enough',
    );
  }

  /** Writes the notes. If that fails, they are not kept for later: the page that shows them is no evidence. */
  private async write(): Promise<'idle'> {
    const calls = this.#calls;
    this.#calls = [];
    const uses = this.#usesToWrite();
    if (uses.length > 0 || calls.length > 0)
      await this.records.add({ uses, calls: calls.map(storedCall) });
    // A buffer that filled up again meanwhile is still the same failure.
    if (this.#calls.length < maxBuffered) this.#isDropping = false;
    for (const { merchantId, mode, code } of calls)
      if (code === undefined && merchantId !== undefined && mode !== undefined)
        await this.#trimAfter(merchantId, mode);
    return 'idle';
  }

  #usesToWrite() {
    const nowMs = this.clock.nowMs();
    const sinceMs = nowMs - this.#usesWrittenMs;
    // A clock that was set back must not delay them.
    if (sinceMs >= 0 && sinceMs < writeUsesEveryMs) return [];
    this.#usesWrittenMs = nowMs;
    const uses = [...this.#uses].map(([credentialId, atMs]) => ({
      credentialId,
      at: new Date(atMs),
    }));
    this.#uses.clear();
    return uses;
  }

  /** Counts a written call, and deletes the oldest of its merchant and mode after many. */
  async #trimAfter(merchantId: string, mode: string): Promise<void> {
    const key = `${merchantId} ${mode}`;
    const written = (this.#written.get(key) ?? 0) + 1;
    this.#written.set(key, written);
    if (written < trimAfter) return;
    this.#written.delete(key);
    await this.records.trim(merchantId, mode);
  }
}

/** True for V4 calls that proved their credential. */
function isOfMerchant({
  merchantId,
  mode,
  route,
}: Pick<AnsweredRequest, 'merchantId' | 'mode' | 'route'>): boolean {
  return merchantId !== undefined && mode !== undefined && route.startsWith(v4Prefix);
}

function storedCall({ target, atMs, ...call }: Call): LoggedCall {
  return {
    ...call,
    target: isOfMerchant(call) ? maskedTarget(target) : undefined,
    at: new Date(atMs),
  };
}
