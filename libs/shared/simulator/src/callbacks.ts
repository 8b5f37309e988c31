import { lookup } from 'node:dns';
import { Agent, request } from 'undici';
import type { Logger } from 'pino';

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

/**
 * The end of a try: the merchant answered 200; it did not; or the simulator stopped first, so that the callback is
 * still owed.
 */
export type Sent = 'accepted' | 'lost' | 'stopped';

/** Posts the rail's report to the merchant. It tries each callback once. */
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

  async send(delivery: Delivery): Promise<Sent> {
    if (this.active >= concurrency && !this.stopped)
      await new Promise<void>((resolve) => this.line.push(resolve));
    if (this.stopped) return 'stopped';
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

  private async post({ url, body, about }: Delivery): Promise<Sent> {
    try {
      const answer = await this.request(url, body, deadlineMs);
      await answer.body.dump();
      if (answer.statusCode === 200) return 'accepted';
      this.log.warn({ ...about, status: answer.statusCode }, 'callback not accepted');
      return 'lost';
    } catch (error) {
      if (this.stopped) return 'stopped';
      const { code, name } = error as NodeJS.ErrnoException;
      this.log.warn({ ...about, error: code ?? name }, 'callback lost');
      return 'lost';
    }
  }
}
