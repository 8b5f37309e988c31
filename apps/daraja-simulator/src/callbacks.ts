import { lookup } from 'node:dns';
import { Agent, request } from 'undici';
import type { Logger } from 'pino';
import { shillingsFromMinor } from './amount.js';
import { compactTime } from './east-africa-time.js';
import { dueAtMs, paidMinor, type Payment } from './payment.js';
import { resultTexts } from './scenarios.js';

/** The number of calls at once. All others wait in a queue without a limit. */
const concurrency = 64;
const deadlineMs = 10_000;
/** The time that a shutdown gives to calls in flight. */
const drainMs = 2_000;

/**
 * A report to the merchant. Logs contain only `about`, because the URL opens a stream and the body holds a phone
 * number.
 */
export interface Delivery {
  readonly url: string;
  readonly body: string;
  readonly about: Readonly<Record<string, string>>;
}

/** Posts the rail's report to the merchant. Like Daraja, it tries each callback once. */
export class Callbacks {
  private readonly agent: Agent;
  private readonly line: (() => void)[] = [];
  private active = 0;
  private stopped = false;

  /** @param host connects to this host for every name: TLS and the request still use the name of the URL */
  constructor(
    private readonly log: Logger,
    host?: string,
  ) {
    this.agent = new Agent({
      connections: concurrency,
      pipelining: 1,
      ...(host !== undefined && {
        connect: {
          lookup: (_name, options, callback) => {
            lookup(host, options, callback);
          },
        },
      }),
    });
  }

  /** @returns true if it was tried; false if the simulator stopped first, so that the callback is still owed */
  async send(delivery: Delivery): Promise<boolean> {
    if (this.active >= concurrency && !this.stopped)
      await new Promise<void>((resolve) => this.line.push(resolve));
    if (this.stopped) return false;
    this.active += 1;
    try {
      return await this.post(delivery);
    } finally {
      this.active -= 1;
      this.line.shift()?.();
    }
  }

  /** Asks the merchant and waits for the answer. @returns undefined if there is none in JSON in time */
  async ask(
    url: string,
    body: string,
    withinMs: number,
  ): Promise<Readonly<Record<string, unknown>> | undefined> {
    try {
      const answer = await this.request(url, body, withinMs);
      return (await answer.body.json()) as Readonly<Record<string, unknown>>;
    } catch {
      return undefined;
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    for (const resolve of this.line.splice(0)) resolve();
    const end = Date.now() + drainMs;
    while (this.active > 0 && Date.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 10));
    await this.agent.destroy();
  }

  private request(url: string, body: string, withinMs: number): ReturnType<typeof request> {
    return request(url, {
      dispatcher: this.agent,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(withinMs),
    });
  }

  private async post({ url, body, about }: Delivery): Promise<boolean> {
    try {
      const answer = await this.request(url, body, deadlineMs);
      await answer.body.dump();
      if (answer.statusCode !== 200)
        this.log.warn({ ...about, status: answer.statusCode }, 'callback not accepted');
      return true;
    } catch (error) {
      if (this.stopped) return false;
      const { code, name } = error as NodeJS.ErrnoException;
      this.log.warn({ ...about, error: code ?? name }, 'callback lost');
      return true;
    }
  }
}

/** The callback of a step, as Daraja writes it: metadata only on success, Balance without a value, amounts as 1.00. */
export function callbackBody(payment: Payment, step: number): string {
  const { push, scenario } = payment;
  const result = scenario.steps[step]?.result ?? 0;
  const head =
    `{"Body":{"stkCallback":{"MerchantRequestID":"${push.merchantRequestId}",` +
    `"CheckoutRequestID":"${push.checkoutRequestId}","ResultCode":${result},` +
    `"ResultDesc":"${resultTexts[result]}"`;
  if (result !== 0) return `${head}}}}`;
  return (
    `${head},"CallbackMetadata":{"Item":[` +
    `{"Name":"Amount","Value":${shillingsFromMinor(paidMinor(payment))}},` +
    `{"Name":"MpesaReceiptNumber","Value":"${push.receipt}"},{"Name":"Balance"},` +
    `{"Name":"TransactionDate","Value":${compactTime(dueAtMs(payment, step))}},` +
    `{"Name":"PhoneNumber","Value":${push.phone}}]}}}}`
  );
}
