import { type PushAnswer, type QueryOutcome } from '#domain/rails';
import { type Clock, type Mode, type Timer } from '#domain/kernel';
import { type RailOrder } from '#domain/payouts';
import {
  type Answered,
  type AnsweredAtOnce,
  type AnsweredOrder,
  type AnsweredPush,
  ask,
  type Asked,
  type AskLine,
  bearer,
  Endpoint,
  type EndpointOptions,
  lateAnswerMs,
  type MakeTokenSource,
  type Prompt,
  push,
  type PushReading,
  type TokenSource,
} from '#edges/rails';
import { type AirtelRailSettings, type Metrics } from '#infra/runtime';
import { fetchToken, tokenDeadlineMs } from './airtel/access-token.js';
import {
  isAirtels,
  isTokenRefused,
  knowsId,
  ofSigned,
  readEnquiryAnswer,
  readPushAnswer,
  saidIn,
} from './airtel/answers.js';
import { EncryptionKeys } from './airtel/encryption-keys.js';
import { type Market, marketHeaders, orderBody, pushBody } from './airtel/messages.js';
import { readOrderAnswer } from './airtel/payout-answers.js';
import { type RandomBytes } from './airtel/signature.js';

export interface AirtelAccountOptions {
  readonly mode: Mode;
  readonly settings: AirtelRailSettings;
  readonly currency: string;
  /** RAIL_PUSH_TIMEOUT. */
  readonly pushTimeoutMs: number;
  readonly clock: Clock;
  readonly timer: Timer;
  /** For the keys of signatures. */
  readonly randomBytes: RandomBytes;
  readonly tokens: MakeTokenSource;
  readonly metrics: Metrics;
  /** How long to wait for a push's answer after `pushTimeoutMs`; a minute if omitted. */
  readonly lateAnswerMs?: number;
}

const enquiryTimeoutMs = 5000;
const keyTimeoutMs = 4000;
/** A push that hangs uses its connection for over a minute, so there must be some left for the others. */
const pushConnections = 256;
const enquiryConnections = 16;
const payoutConnections = 32;
const balanceConnections = 2;
const tokenConnections = 2;
const keyConnections = 2;
/** The pauses before the enquiries about a push whose answer was lost. Airtel may know the id only after seconds. */
const enquiryPausesMs: readonly number[] = [3000, 10_000, 25_000];

/** The reading of an answer whose bytes go on as they are. */
type AtOnce =
  | { readonly kind: 'answer'; readonly raw: Uint8Array }
  | { readonly kind: 'not_asked' | 'unanswered' };

type Endpoints = Readonly<
  Record<'token' | 'key' | 'push' | 'enquiry' | 'payout' | 'payoutEnquiry' | 'balance', Endpoint>
>;

function endpointsOf({ mode, settings, metrics }: AirtelAccountOptions): Endpoints {
  const endpoint = (rest: Pick<EndpointOptions, 'name' | 'method' | 'path' | 'connections'>) =>
    new Endpoint({
      ...rest,
      mode,
      baseUrl: settings.url,
      metrics,
      isRailsError: isAirtels,
    });
  return {
    token: endpoint({
      name: 'airtel-token',
      method: 'POST',
      path: '/auth/oauth2/token',
      connections: tokenConnections,
    }),
    key: endpoint({
      name: 'airtel-key',
      method: 'GET',
      path: '/v1/rsa/encryption-keys',
      connections: keyConnections,
    }),
    push: endpoint({
      name: 'airtel-push',
      method: 'POST',
      // The second version takes only signed requests (AIR-16).
      path: settings.signs ? '/merchant/v2/payments/' : '/merchant/v1/payments/',
      connections: pushConnections,
    }),
    enquiry: endpoint({
      name: 'airtel-enquiry',
      method: 'GET',
      path: '/standard/v1/payments/',
      connections: enquiryConnections,
    }),
    payout: endpoint({
      name: 'airtel-payout',
      method: 'POST',
      path: '/standard/v2/disbursements/',
      connections: payoutConnections,
    }),
    payoutEnquiry: endpoint({
      name: 'airtel-payout-enquiry',
      method: 'GET',
      path: '/standard/v2/disbursements/',
      connections: enquiryConnections,
    }),
    balance: endpoint({
      name: 'airtel-balance',
      method: 'GET',
      path: '/standard/v2/users/balance',
      connections: balanceConnections,
    }),
  };
}

/** One merchant's account at Airtel, for one mode: the endpoints, the token and the credentials. */
export class AirtelAccount {
  readonly #options: AirtelAccountOptions;
  readonly #market: Market;
  readonly #tokens: TokenSource;
  readonly #enquiries: AskLine;
  readonly #keys: EncryptionKeys;
  readonly #endpoints: Endpoints;

  constructor(options: AirtelAccountOptions) {
    this.#options = options;
    const { mode, settings, currency } = options;
    this.#market = { country: settings.country, currency };
    this.#endpoints = endpointsOf(options);
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
    this.#keys = new EncryptionKeys({
      line: { endpoint: this.#endpoints.key, tokens: this.#tokens, timeoutMs: keyTimeoutMs },
      headers: marketHeaders(this.#market),
      clock: options.clock,
      randomBytes: options.randomBytes,
    });
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
      ...this.#signing(this.#options.settings.signs !== undefined, (status, body) =>
        readPushAnswer(id, status, body),
      ),
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

  /** Gives Airtel an order under our own name, at most once. Airtel takes a name once. */
  async pay(order: RailOrder): Promise<AnsweredOrder> {
    const { settings, clock, timer, pushTimeoutMs: timeoutMs } = this.#options;
    const { payouts } = settings;
    if (!payouts || 'reverses' in order)
      return { kind: 'refused', failureCode: 'rail_unavailable' };
    const { originatorConversationId: id, phone, amountMinor } = order;
    const line = {
      endpoint: this.#endpoints.payout,
      tokens: this.#tokens,
      clock,
      timer,
      timeoutMs,
      lateMs: 0,
      headers: marketHeaders(this.#market),
      ...this.#signing(settings.signs === 'all', (status, body) =>
        readOrderAnswer(id, status, body),
      ),
    };
    const sent = { id, phone, amountMinor, pin: payouts.encryptedPin };
    const outcome = await push(line, () => orderBody(this.#market, sent));
    if (outcome.kind !== 'accepted')
      return outcome.kind === 'unknown' ? { kind: 'unknown' } : outcome;
    const { railReference: conversationId, raw } = outcome;
    return { kind: 'accepted', conversationId, ...(raw && { raw }) };
  }

  /** Adds the signature to a kind of request that needs one. */
  #signing(isSigned: boolean, read: (status: number, body: string) => PushReading) {
    if (!isSigned) return { read };
    return {
      sign: this.#keys.sign,
      read: (status: number, body: string) => ofSigned(read(status, body), body),
    };
  }

  /** True if an order could be given to Airtel now: there is a token and, if it is signed, a key, and Airtel answers. */
  async canPay(): Promise<boolean> {
    const { settings, pushTimeoutMs: timeoutMs } = this.#options;
    const held = await bearer(this.#tokens, timeoutMs);
    if (held.kind !== 'token') return false;
    if (settings.signs === 'all' && !(await this.#keys.areReady(timeoutMs))) return false;
    return this.#endpoints.payout.isReachable(timeoutMs);
  }

  askAboutPayout(id: string): Promise<Asked | AnsweredAtOnce> {
    const below = `${encodeURIComponent(id)}?transactionType=B2C`;
    return this.#answerOf(this.#endpoints.payoutEnquiry, below);
  }

  askForFloat(): Promise<Asked | AnsweredAtOnce> {
    return this.#answerOf(this.#endpoints.balance, '');
  }

  async #answerOf(endpoint: Endpoint, below: string): Promise<Asked | AnsweredAtOnce> {
    const line = { endpoint, tokens: this.#tokens, timeoutMs: enquiryTimeoutMs };
    const answer = await ask<AtOnce>(line, {
      below,
      headers: marketHeaders(this.#market),
      read: (status, body) => {
        if (isTokenRefused(status, body)) return { kind: 'invalid_token' };
        if (status === 429) return { kind: 'not_asked' };
        return saidIn(body)
          ? { kind: 'answer', raw: Buffer.from(body, 'utf8') }
          : { kind: 'unanswered' };
      },
    });
    return answer.kind === 'answer' ? { raw: answer.raw } : answer.kind;
  }

  #about(id: string) {
    return { below: encodeURIComponent(id), headers: marketHeaders(this.#market) };
  }

  /** Aborts the requests in flight; late answers that were still awaited are lost. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.#endpoints).map((endpoint) => endpoint.close()));
  }
}
