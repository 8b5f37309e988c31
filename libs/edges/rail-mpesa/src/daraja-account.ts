import { type QueryOutcome } from '#domain/rails';
import { type Clock, type Mode, type Timer } from '#domain/kernel';
import { type Metrics, type MpesaRailSettings } from '#infra/runtime';
import {
  type AnsweredOrder,
  type AnsweredPush,
  type Asked,
  type AskLine,
  bearer,
  Endpoint,
  type EndpointOptions,
  lateAnswerMs,
  type MakeTokenSource,
  type NoticeAddresses,
  type NoticesRegistered,
  push,
  type PushLine,
  type ReportAddresses,
  type TakenAnswer,
} from '#edges/rails';
import { fetchToken, tokenDeadlineMs } from './daraja/access-token.js';
import {
  balanceBody,
  type Payment,
  paymentBody,
  type PaymentQuestion,
  paymentQueryBody,
  pullBody,
  type Prompt,
  pushBody,
  queryBody,
  type ReceiptQuestion,
  receiptQueryBody,
  type Reversal,
  reversalBody,
  takingShortCode,
} from './daraja/messages.js';
import { errorCodeOf } from './daraja/error-code.js';
import { readPushAnswer } from './daraja/answers.js';
import { order, type OrderLine, question } from './daraja/pay.js';
import { pull } from './daraja/pull.js';
import { query } from './daraja/query.js';
import { noticeShortCode, register } from './daraja/register.js';

export interface DarajaAccountOptions {
  readonly mode: Mode;
  readonly settings: MpesaRailSettings;
  /** RAIL_PUSH_TIMEOUT. */
  readonly pushTimeoutMs: number;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly tokens: MakeTokenSource;
  readonly metrics: Metrics;
  /** How long to wait for a push's answer after `pushTimeoutMs`; a minute if omitted. */
  readonly lateAnswerMs?: number;
}

const isRailsError = (body: string): boolean => errorCodeOf(body) !== undefined;

const queryTimeoutMs = 5000;

/** A push that hangs uses its connection for over a minute, so there must be some left for the others. */
const pushConnections = 256;
const queryConnections = 16;
const payoutConnections = 32;
const reversalConnections = 8;
const balanceConnections = 2;
const pullConnections = 1;
/** A page may have a thousand payments. */
const pullTimeoutMs = 30_000;
const registerConnections = 1;
const registerTimeoutMs = 30_000;
const tokenConnections = 2;

/** One shortcode at Daraja: the endpoints, the token and the credentials of one mode. */
export class DarajaAccount {
  readonly #options: DarajaAccountOptions;
  readonly #endpoints: readonly Endpoint[];
  readonly #push: PushLine;
  readonly #query: AskLine;
  readonly #pull: AskLine;
  readonly #register: AskLine;
  readonly #payouts: Readonly<
    Record<'payments' | 'reversals' | 'questions' | 'balances', OrderLine>
  >;

  constructor(options: DarajaAccountOptions) {
    this.#options = options;
    const { mode, settings, metrics } = options;
    const endpoint = (rest: Pick<EndpointOptions, 'name' | 'method' | 'path' | 'connections'>) =>
      new Endpoint({ ...rest, mode, baseUrl: settings.url, metrics, isRailsError });
    const token = endpoint({
      name: 'token',
      method: 'GET',
      path: '/oauth/v1/generate?grant_type=client_credentials',
      connections: tokenConnections,
    });
    const pushes = endpoint({
      name: 'push',
      method: 'POST',
      path: '/mpesa/stkpush/v1/processrequest',
      connections: pushConnections,
    });
    const queries = endpoint({
      name: 'query',
      method: 'POST',
      path: '/mpesa/stkpushquery/v1/query',
      connections: queryConnections,
    });
    const tokens = options.tokens({
      name: `mpesa-${mode}`,
      fetch: () => fetchToken(token, settings),
      fetchDeadlineMs: tokenDeadlineMs + 1000,
    });
    const { clock, timer, pushTimeoutMs: timeoutMs, lateAnswerMs: lateMs = lateAnswerMs } = options;
    this.#push = {
      endpoint: pushes,
      tokens,
      clock,
      timer,
      timeoutMs,
      lateMs,
      read: readPushAnswer,
    };
    this.#query = { endpoint: queries, tokens, timeoutMs: queryTimeoutMs };
    const pulls = endpoint({
      name: 'pull',
      method: 'POST',
      path: '/pulltransactions/v1/query',
      connections: pullConnections,
    });
    this.#pull = { endpoint: pulls, tokens, timeoutMs: pullTimeoutMs };
    const registrations = endpoint({
      name: 'register',
      method: 'POST',
      path: '/mpesa/c2b/v2/registerurl',
      connections: registerConnections,
    });
    this.#register = { endpoint: registrations, tokens, timeoutMs: registerTimeoutMs };
    const post = (name: EndpointOptions['name'], path: string, connections: number): OrderLine => {
      const rest = { name, method: 'POST', path, connections } as const;
      return { endpoint: endpoint(rest), tokens, clock, timer, timeoutMs };
    };
    this.#payouts = {
      payments: post('payout', '/mpesa/b2c/v3/paymentrequest', payoutConnections),
      reversals: {
        ...post('reversal', '/mpesa/reversal/v1/request', reversalConnections),
        isNamedByRail: true,
      },
      questions: post('payout-query', '/mpesa/transactionstatus/v1/query', queryConnections),
      balances: post('balance', '/mpesa/accountbalance/v1/query', balanceConnections),
    };
    const ofPayouts = Object.values(this.#payouts).map((line) => line.endpoint);
    this.#endpoints = [token, pushes, queries, pulls, registrations, ...ofPayouts];
  }

  push(prompt: Prompt): Promise<AnsweredPush> {
    const { settings, clock } = this.#options;
    return push(this.#push, () => pushBody(settings, prompt, clock.nowMs()));
  }

  query(checkoutRequestId: string): Promise<QueryOutcome> {
    const { settings, clock } = this.#options;
    return query(this.#query, checkoutRequestId, () =>
      queryBody(settings, checkoutRequestId, clock.nowMs()),
    );
  }

  async pay(payment: Payment | Reversal): Promise<AnsweredOrder> {
    const { settings } = this.#options;
    const { payouts } = settings;
    if (!payouts) return notConfigured;
    return 'reverses' in payment
      ? order(this.#payouts.reversals, reversalBody(settings, payouts, payment))
      : order(this.#payouts.payments, paymentBody(payouts, payment));
  }

  /** True if a payment could be given to Daraja now: there is a token, and Daraja answers. */
  async canPay(): Promise<boolean> {
    const { endpoint, tokens, timeoutMs } = this.#payouts.payments;
    const held = await bearer(tokens, timeoutMs);
    return held.kind === 'token' && endpoint.isReachable(timeoutMs);
  }

  async askAboutPayout({ isReversal, ...asked }: PaymentQuestion): Promise<Asked> {
    const { settings } = this.#options;
    const { payouts } = settings;
    if (!payouts) return 'not_asked';
    const asker = isReversal ? { ...payouts, shortcode: takingShortCode(settings) } : payouts;
    return question(this.#payouts.questions, paymentQueryBody(asker, asked));
  }

  /** Asks about a payment to us by its receipt, in less time than an entry of the inbox is leased for. */
  async askAboutReceipt(asked: ReceiptQuestion): Promise<Asked> {
    const { settings } = this.#options;
    const { payouts } = settings;
    if (!payouts) return 'not_asked';
    const line = { ...this.#payouts.questions, timeoutMs: queryTimeoutMs };
    return question(line, receiptQueryBody(settings, payouts, asked));
  }

  async askForFloat(addresses: ReportAddresses): Promise<Asked> {
    const { payouts } = this.#options.settings;
    return payouts
      ? question(this.#payouts.balances, balanceBody(payouts, addresses))
      : 'not_asked';
  }

  /** The short codes of collections and of payouts, if the operator may ask for balances. */
  balanceShortCodes(): readonly string[] {
    const { shortcode, payouts, tellsBalance } = this.#options.settings;
    return payouts && tellsBalance ? [...new Set([shortcode, payouts.shortcode])] : [];
  }

  async askForBalances(shortcode: string, addresses: ReportAddresses): Promise<Asked> {
    const { payouts } = this.#options.settings;
    return payouts
      ? question(this.#payouts.balances, balanceBody({ ...payouts, shortcode }, addresses))
      : 'not_asked';
  }

  taken(page: {
    readonly fromMs: number;
    readonly untilMs: number;
    readonly offset: number;
  }): Promise<TakenAnswer> {
    return pull(this.#pull, pullBody(this.#options.settings, page), page);
  }

  registerNotices(addresses: NoticeAddresses): Promise<NoticesRegistered> {
    return register(this.#register, noticeShortCode(this.#options.settings), addresses);
  }

  /** Aborts the requests in flight; late answers that were still awaited are lost. */
  async close(): Promise<void> {
    await Promise.all(this.#endpoints.map((endpoint) => endpoint.close()));
  }
}

const notConfigured: AnsweredOrder = { kind: 'refused', failureCode: 'rail_unavailable' };
