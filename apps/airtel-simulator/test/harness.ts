import {
  constants,
  createCipheriv,
  createPublicKey,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, eventually, startChild } from '#testing';

/** SIMULATOR_DELAY in these tests. */
export const delayMs = 60;

/** SIMULATOR_SLOW_ANSWER in these tests. */
export const slowAnswerMs = 150;

export const callbackKey = 'simulator-callback-key';

/** The envelope of every answer, and the flat bodies, in one. */
export interface Body {
  readonly access_token?: string;
  readonly expires_in?: unknown;
  readonly error?: string;
  readonly status_code?: string;
  readonly data?: {
    readonly transaction?: Readonly<Record<string, string>>;
    readonly transactions?: readonly {
      readonly transaction: Readonly<Record<string, string>>;
      readonly payer: Readonly<Record<string, string>>;
    }[];
    readonly balance?: string;
    readonly key?: string;
    readonly is_barred?: boolean;
    readonly is_pin_set?: boolean;
  };
  readonly status?: {
    readonly code: string;
    readonly success: boolean;
    readonly message: string;
    readonly response_code?: string;
    readonly result_code?: string;
  };
}

/** An answer of the simulator, read for a test. */
export interface Answer {
  readonly http: number;
  readonly text: string;
  /** Empty if the body is no JSON. */
  readonly body: Body;
  /** The code: that of the product, or else that of the layer below, or of the gateway. */
  readonly code: string | undefined;
}

/** A simulator in its own process, as the launcher runs it. */
export class Simulator {
  private child: Child | undefined;
  private token = Promise.resolve('');
  private tokenEndsAtMs = 0;
  private made = 0;
  private readonly earlier: string[] = [];

  private constructor(
    readonly directory: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  static async start(environment: Readonly<Record<string, string>> = {}): Promise<Simulator> {
    const directory = await mkdtemp(join(tmpdir(), 'airtel-simulator-'));
    const simulator = new Simulator(directory, environment);
    await simulator.restart();
    return simulator;
  }

  /** Starts the process again on the same memory. */
  async restart(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    this.child = await startChild('airtel-simulator', {
      SIMULATOR_AIRTEL_PORT: '0',
      SIMULATOR_AIRTEL_DIR: this.directory,
      SIMULATOR_DELAY: `${delayMs}ms`,
      SIMULATOR_SLOW_ANSWER: `${slowAnswerMs}ms`,
      LOG_LEVEL: 'trace',
      ...this.environment,
      ...environment,
    });
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  /** All output so far, including that of earlier starts. */
  get output(): string {
    return [...this.earlier, ...(this.child?.lines ?? [])].join('\n');
  }

  /** Ends the process. @returns its exit code, null if a signal killed it */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.child?.signal(signal);
    const code = (await this.child?.ended) ?? null;
    this.earlier.push(...(this.child?.lines ?? []));
    return code;
  }

  async dispose(): Promise<void> {
    await this.end('SIGKILL');
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Asks for a token. */
  grant(more: object = {}): Promise<Answer> {
    return this.send('POST', '/auth/oauth2/token', {
      client_id: 'simulator-client',
      client_secret: 'simulator-secret',
      grant_type: 'client_credentials',
      ...more,
    });
  }

  /** Returns an id that was not used before. */
  id(): string {
    this.made += 1;
    return `PP${this.made.toString().padStart(8, '0')}`;
  }

  /** Asks a customer to pay. */
  push(
    phone: string,
    { id = this.id(), amount = 250, version = 'v1', headers = {} }: Partial<PushOptions> = {},
  ): Promise<Answer> {
    return this.call(
      'POST',
      `/merchant/${version}/payments/`,
      pushBody(phone, { id, amount }),
      headers,
    );
  }

  enquire(id: string): Promise<Answer> {
    return this.call('GET', `/standard/v1/payments/${id}`);
  }

  /** Pays out. */
  async disburse(
    phone: string,
    {
      id = this.id(),
      amount = 250,
      pin,
      version = 'v2',
      headers = {},
    }: Partial<PayoutOptions> = {},
  ): Promise<Answer> {
    const body = {
      payee: { currency: 'KES', msisdn: phone.slice(3) },
      reference: 'Payout',
      pin: pin ?? (await this.sealed('1234')),
      transaction: { amount, id, type: 'B2C' },
    };
    return this.call('POST', `/standard/${version}/disbursements/`, body, headers);
  }

  payout(id: string, query = '?transactionType=B2C'): Promise<Answer> {
    return this.call('GET', `/standard/v2/disbursements/${id}${query}`);
  }

  refund(moneyId: string | undefined, version: 'v1' | 'v2' = 'v1'): Promise<Answer> {
    return this.call('POST', `/standard/${version}/payments/refund`, {
      transaction: { airtel_money_id: moneyId },
    });
  }

  /** Encrypts a text to one of the rail's keys. */
  async sealed(
    text: string,
    { bits = '1024', padding = constants.RSA_PKCS1_PADDING } = {},
  ): Promise<string> {
    const keys = (await (await fetch(`${this.url}/_keys`)).json()) as Record<string, string>;
    return sealedTo(keys[bits] ?? '', text, padding);
  }

  /** Signs a body as Airtel's portal says. */
  async signature(body: string): Promise<Record<string, string>> {
    const { key = '' } = (await this.call('GET', '/v1/rsa/encryption-keys')).body.data ?? {};
    const [aes, vector] = [randomBytes(32), randomBytes(16)];
    const cipher = createCipheriv('aes-256-cbc', aes, vector);
    const pair = `${aes.toString('base64')}:${vector.toString('base64')}`;
    return {
      'x-signature': Buffer.concat([cipher.update(body), cipher.final()]).toString('base64'),
      'x-key': sealedTo(key, pair, constants.RSA_PKCS1_PADDING),
    };
  }

  /** Changes the portal's settings. */
  portal(members: object): Promise<Answer> {
    return this.call('PUT', '/_portal', members);
  }

  /** Waits until a later payment took its whole course, and so did those before it. */
  async settled(receiver: Receiver): Promise<void> {
    const id = this.id();
    await this.push('254733000038', { id });
    await receiver.saying(id, 2);
  }

  async stats(): Promise<Readonly<Record<string, number>>> {
    return (await (await fetch(`${this.url}/_stats`)).json()) as Record<string, number>;
  }

  /** Returns the statement's rows by column. No cell here contains a comma or a quote. */
  async statement(): Promise<readonly Readonly<Record<string, string>>[]> {
    const [columns = '', ...rows] = (await this.statementText()).split('\r\n').slice(0, -1);
    const names = columns.split(',');
    return rows.map((row) =>
      Object.fromEntries(row.split(',').map((cell, index) => [names[index] ?? '', cell])),
    );
  }

  async statementText(): Promise<string> {
    return (await fetch(`${this.url}/_statement.csv`)).text();
  }

  /** @param body an object, sent as JSON, or text, sent as it is; none for undefined */
  async call(
    method: string,
    path: string,
    body?: object | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return this.send(method, path, body, {
      authorization: `Bearer ${await this.freshToken()}`,
      'x-country': 'KE',
      'x-currency': 'KES',
      ...headers,
    });
  }

  /** A token lives for three minutes, and a spec on a busy machine may take longer. */
  private freshToken(): Promise<string> {
    if (performance.now() > this.tokenEndsAtMs) {
      this.tokenEndsAtMs = performance.now() + 60_000;
      this.token = this.grant().then(({ body }) => body.access_token ?? '');
    }
    return this.token;
  }

  private async send(
    method: string,
    path: string,
    body?: object | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      signal: AbortSignal.timeout(60_000),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return answerOf(response.status, await response.text());
  }

  private get url(): string {
    return `http://127.0.0.1:${this.child?.ports.port ?? 0}`;
  }
}

interface PushOptions {
  readonly id: string;
  readonly amount: unknown;
  readonly version: 'v1' | 'v2';
  readonly headers: Readonly<Record<string, string>>;
}

interface PayoutOptions extends PushOptions {
  readonly pin: string;
}

/** The body of a push. */
export function pushBody(
  phone: string,
  { id, amount = 250 }: { readonly id: string; readonly amount?: unknown },
) {
  return {
    reference: 'Order 17',
    subscriber: { country: 'KE', currency: 'KES', msisdn: phone.slice(3) },
    transaction: { amount, country: 'KE', currency: 'KES', id },
  };
}

function sealedTo(key: string, text: string, padding: number): string {
  const der = { key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' } as const;
  const to = { key: createPublicKey(der), padding, oaepHash: 'sha256' };
  return publicEncrypt(to, Buffer.from(text)).toString('base64');
}

function answerOf(http: number, text: string): Answer {
  const body = text.startsWith('{') ? (JSON.parse(text) as Body) : {};
  const code = body.status?.response_code ?? body.status?.result_code ?? body.status_code;
  return { http, text, body, code };
}

/** A callback as it came. */
export interface Callback {
  readonly raw: string;
  readonly atMs: number;
  readonly hash: string | undefined;
  readonly transaction: {
    readonly id: string;
    readonly message: string;
    readonly status_code: string;
    readonly airtel_money_id?: string;
  };
}

/** A merchant's server: accepts callbacks at one address, as the portal has one for all, and keeps them. */
export class Receiver {
  readonly callbacks: Callback[] = [];
  /** The delay of an acknowledgement. */
  slownessMs = 0;
  /** True if it never answers. */
  silent = false;
  /** The number of callbacks that it answers with 503. */
  refusals = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', (request, response) => void receiver.take(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/rails/feed`;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  of(id: string): readonly Callback[] {
    return this.callbacks.filter(({ transaction }) => transaction.id === id);
  }

  /** Returns what the callbacks about a transaction say, once there are so many. */
  async saying(id: string, count: number): Promise<readonly string[]> {
    await eventually(
      () => Promise.resolve(this.of(id).length),
      (length) => length >= count,
    );
    return this.of(id).map(({ transaction }) => transaction.status_code);
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let raw = '';
    for await (const chunk of request) raw += String(chunk);
    const { transaction, hash } = JSON.parse(raw) as Pick<Callback, 'transaction' | 'hash'>;
    this.callbacks.push({ raw, atMs: Date.now(), hash, transaction });
    if (this.silent) return;
    await sleep(this.slownessMs);
    if (this.refusals > 0) {
      this.refusals -= 1;
      response.statusCode = 503;
    }
    response.end('{}');
  }
}
