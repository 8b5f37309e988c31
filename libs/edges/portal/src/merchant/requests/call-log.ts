import { Clock } from '#domain/kernel';
import { Loop, Metrics } from '#infra/runtime';
import { type AnsweredRequest, AnswerWatch } from '#shared/http';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { MerchantPagesOptions } from '../options.js';
import { CallRecords, type RefusedRequest } from '../ports.js';

const writeEveryMs = 5000;
const minuteMs = 60_000;
const maxBackoffMs = 60_000;
const stopDeadlineMs = 1000;
/** A minute: of one credential, and of all. More refusals than these tell nobody more; they are counted. */
const [maxOfOne, maxOfAll] = [30, 600];
/** That are not written yet, whatever becomes of Postgres. */
const maxCredentials = 20_000;

/** Only the interfaces' own: a browser's pages are no calls of a credential. */
const prefix = /^\/(?:api\/)?v[34]\//;

/**
 * Notes which credentials are used, to the minute, and which calls were refused (POR-21). It is kept in memory and
 * written every few seconds; no call waits for that, and what Postgres does not take is lost.
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

  /** What cannot be written is not kept for later: a page that shows it is no evidence. */
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
