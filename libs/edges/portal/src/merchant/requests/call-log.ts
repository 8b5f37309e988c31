import { Clock } from '#domain/kernel';
import { Loop, Metrics } from '#infra/runtime';
import { type AnsweredRequest, AnswerWatch } from '#shared/http';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { MerchantPagesOptions } from '../options.js';
import { CallRecords, type RefusedRequest } from '#records/credentials';

const writeEveryMs = 5000;
const minuteMs = 60_000;
const maxBackoffMs = 60_000;
const stopDeadlineMs = 1000;
/** Most refusals that are noted in a minute, of one credential and of all. More would not help; they are only counted. */
const [maxOfOne, maxOfAll] = [30, 600];
/** Most credentials with uses that are not written yet. It limits the memory while Postgres is down. */
const maxCredentials = 20_000;

/** Routes of the APIs only: a browser's pages are no calls of a credential. */
const prefix = /^\/(?:api\/)?v[34]\//;

/**
 * Notes which credentials are used, to the minute, and which calls were refused (POR-21). It keeps the notes in memory
 * and writes them every few seconds. No call waits for that, and notes that Postgres does not store are lost.
 */
@Injectable()
export class CallLog extends AnswerWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #uses = new Map<string, number>();
  #refused: RefusedRequest[] = [];
  #minute = 0;
  readonly #ofMinute = new Map<string, number>();
  #allOfMinute = 0;
  private readonly loop: Loop;
  private readonly dropped;

  constructor(
    private readonly records: CallRecords,
    private readonly clock: Clock,
    metrics: Metrics,
    { logger }: MerchantPagesOptions,
  ) {
    super();
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
      name: 'refused_requests_not_listed_total',
      help: 'Refused calls that are on no merchant’s page, because there were too many of them at once',
    });
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
    const nowMs = this.clock.nowMs();
    if (status !== 401 && status !== 403) this.#use(credentialId, nowMs);
    if (code === undefined) return;
    if (this.#hasRoom(credentialId, nowMs))
      this.#refused.push({ ...request, credentialId, code, at: new Date(nowMs) });
    else this.dropped.inc({});
  }

  #use(credentialId: string, nowMs: number): void {
    if (this.#uses.has(credentialId) || this.#uses.size < maxCredentials)
      this.#uses.set(credentialId, nowMs);
  }

  #hasRoom(credentialId: string, nowMs: number): boolean {
    const minute = Math.floor(nowMs / minuteMs);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#ofMinute.clear();
      this.#allOfMinute = 0;
    }
    const own = this.#ofMinute.get(credentialId) ?? 0;
    if (own >= maxOfOne || this.#allOfMinute >= maxOfAll) return false;
    this.#ofMinute.set(credentialId, own + 1);
    this.#allOfMinute += 1;
    return true;
  }

  /** Writes the notes. If that fails, they are not kept for later: the page that shows them is no evidence. */
  private async write(): Promise<'idle'> {
    const uses = [...this.#uses].map(([credentialId, atMs]) => ({
      credentialId,
      at: new Date(atMs),
    }));
    const refused = this.#refused;
    this.#uses.clear();
    this.#refused = [];
    if (uses.length > 0 || refused.length > 0) await this.records.add({ uses, refused });
    return 'idle';
  }
}
