import { type PushAnswer, type QueryOutcome } from '#domain/rails';
import { type Clock, type Mode, type Timer } from '#domain/kernel';
import {
  type Answered,
  type AnsweredPush,
  ask,
  type AskLine,
  Endpoint,
  type EndpointOptions,
  lateAnswerMs,
  type MakeTokenSource,
  type Prompt,
  push,
  type TokenSource,
} from '#edges/rails';
import { type AirtelRailSettings, type Metrics } from '#infra/runtime';
import { fetchToken, tokenDeadlineMs } from './airtel/access-token.js';
import { isAirtels, knowsId, readEnquiryAnswer, readPushAnswer } from './airtel/answers.js';
import { type Market, marketHeaders, pushBody } from './airtel/messages.js';

export interface AirtelAccountOptions {
  readonly mode: Mode;
  readonly settings: AirtelRailSettings;
  readonly currency: string;
  /** RAIL_PUSH_TIMEOUT. */
  readonly pushTimeoutMs: number;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly tokens: MakeTokenSource;
  readonly metrics: Metrics;
  /** How long to wait for a push's answer after `pushTimeoutMs`; a minute if omitted. */
  readonly lateAnswerMs?: number;
}

const enquiryTimeoutMs = 5000;
/** A push that hangs uses its connection for over a minute, so there must be some left for the others. */
const pushConnections = 256;
const enquiryConnections = 16;
const tokenConnections = 2;
/** The pauses before the enquiries about a push whose answer was lost. Airtel may know the id only after seconds. */
const enquiryPausesMs: readonly number[] = [3000, 10_000, 25_000];

/** One merchant's account at Airtel, for one mode: the endpoints, the token and the credentials. */
export class AirtelAccount {
  readonly #options: AirtelAccountOptions;
  readonly #market: Market;
  readonly #tokens: TokenSource;
  readonly #enquiries: AskLine;
  readonly #endpoints: Readonly<Record<'token' | 'push' | 'enquiry', Endpoint>>;

  constructor(options: AirtelAccountOptions) {
    this.#options = options;
    const { mode, settings, currency, metrics } = options;
    this.#market = { country: settings.country, currency };
    const endpoint = (rest: Pick<EndpointOptions, 'name' | 'method' | 'path' | 'connections'>) =>
      new Endpoint({
        ...rest,
        mode,
        baseUrl: settings.url,
        metrics,
        isRailsError: isAirtels,
      });
    this.#endpoints = {
      token: endpoint({
        name: 'airtel-token',
        method: 'POST',
        path: '/auth/oauth2/token',
        connections: tokenConnections,
      }),
      push: endpoint({
        name: 'airtel-push',
        method: 'POST',
        path: '/merchant/v1/payments/',
        connections: pushConnections,
      }),
      enquiry: endpoint({
        name: 'airtel-enquiry',
        method: 'GET',
        path: '/standard/v1/payments/',
        connections: enquiryConnections,
      }),
    };
    this.#tokens = options.tokens({
      name: `airtel-${mode}`,
      fetch: () => fetchToken(this.#endpoints.token, settings),
      fetchDeadlineMs: tokenDeadlineMs + 1000,
    });
    this.#enquiries = {
      endpoint: this.#endpoints.enquiry,
      tokens: this.#tokens,
      timeoutMs: enquiryTimeoutMs,
    };
  }

  /** Pushes under our own id. If the answer is lost, it enquires about the id for as long as an answer may be late. */
  async push(prompt: Omit<Prompt, 'mode'>): Promise<AnsweredPush> {
    const { clock, timer, pushTimeoutMs: timeoutMs } = this.#options;
    const { lateAnswerMs: lateMs = lateAnswerMs } = this.#options;
    const { accountReference: id, phone, amountMinor } = prompt;
    const line = {
      endpoint: this.#endpoints.push,
      tokens: this.#tokens,
      clock,
      timer,
      timeoutMs,
      lateMs,
      headers: marketHeaders(this.#market),
      read: (status: number, body: string) => readPushAnswer(id, status, body),
    };
    const outcome = await push(line, () => pushBody(this.#market, { id, phone, amountMinor }));
    if (outcome.kind !== 'unknown') return outcome;
    const endAt = performance.now() + lateMs;
    const late = outcome.late.then((answer) => answer ?? this.#learnt(id, endAt));
    return { kind: 'unknown', late };
  }

  /** Returns the acceptance that an enquiry shows; undefined if Airtel does not know the id by then. */
  async #learnt(id: string, endAt: number): Promise<Answered<PushAnswer> | undefined> {
    for (const pauseMs of enquiryPausesMs) {
      if (performance.now() + pauseMs + enquiryTimeoutMs > endAt) return undefined;
      await this.#options.timer.sleep(pauseMs);
      const known = await ask(this.#enquiries, {
        ...this.#about(id),
        read: (_status, body) =>
          knowsId(id, body)
            ? ({ kind: 'known', raw: Buffer.from(body, 'utf8') } as const)
            : ({ kind: 'not_known' } as const),
      });
      if (known.kind === 'known') return { kind: 'accepted', railReference: id, raw: known.raw };
    }
    return undefined;
  }

  /** Enquires about an id. An unclear answer settles nothing: the worker asks again. */
  query(id: string): Promise<QueryOutcome> {
    return ask<QueryOutcome>(this.#enquiries, {
      ...this.#about(id),
      read: (status, body) => {
        const reading = readEnquiryAnswer(id, status, body);
        return reading.kind === 'paid' || reading.kind === 'declined'
          ? { ...reading, raw: Buffer.from(body, 'utf8') }
          : reading;
      },
    });
  }

  #about(id: string) {
    return { below: encodeURIComponent(id), headers: marketHeaders(this.#market) };
  }

  /** Aborts the requests in flight; late answers that were still awaited are lost. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.#endpoints).map((endpoint) => endpoint.close()));
  }
}
