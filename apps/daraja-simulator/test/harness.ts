import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const main = join(import.meta.dirname, '../../../dist/apps/daraja-simulator/src/main.js');

/** SIMULATOR_DELAY in these tests. */
export const delayMs = 60;

/** SIMULATOR_SLOW_ANSWER in these tests. */
export const slowAnswerMs = 150;

const shortcode = '174379';
const timestamp = '20260301123000';
const password = Buffer.from(`${shortcode}simulator-passkey${timestamp}`).toString('base64');

/** An answer of the simulator, read for a test. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, string>>;
}

/** A simulator in its own process, as the launcher runs it. */
export class Simulator {
  /** All output so far, including that of earlier starts. */
  output = '';
  private child: ChildProcess | undefined;
  private url = '';
  private token = '';

  private constructor(
    readonly directory: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {}

  static async start(environment: Readonly<Record<string, string>> = {}): Promise<Simulator> {
    const directory = await mkdtemp(join(tmpdir(), 'daraja-simulator-'));
    const simulator = new Simulator(directory, environment);
    await simulator.restart();
    await simulator.authenticate();
    return simulator;
  }

  /** Starts the process again on the same memory; the token stays as it was. */
  async restart(environment: Readonly<Record<string, string>> = {}): Promise<void> {
    const child = spawn(process.execPath, [main], {
      env: {
        SIMULATOR_PORT: '0',
        SIMULATOR_DELAY: `${delayMs}ms`,
        SIMULATOR_SLOW_ANSWER: `${slowAnswerMs}ms`,
        SIMULATOR_DIR: this.directory,
        LOG_LEVEL: 'trace',
        ...this.environment,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.child = child;
    const port = await new Promise<number>((resolve, reject) => {
      let said = '';
      const read = (chunk: Buffer): void => {
        said += chunk.toString();
        this.output += chunk.toString();
        const port = /^\{"msg":"listening","port":(\d+)\}$/m.exec(said)?.[1];
        if (port !== undefined) resolve(Number(port));
      };
      child.stdout?.on('data', read);
      child.stderr?.on('data', read);
      child.once('exit', () => {
        reject(new Error(`the simulator did not start: ${said}`));
      });
    });
    this.url = `http://127.0.0.1:${port}`;
  }

  /**
   * Ends the process.
   * @returns its exit code, null if a signal killed it
   */
  async end(how: NodeJS.Signals | 'disconnect'): Promise<number | null> {
    const child = this.child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null;
    const exit = once(child, 'exit') as Promise<[number | null]>;
    if (how === 'disconnect') child.disconnect();
    else child.kill(how);
    return (await exit)[0];
  }

  async dispose(): Promise<void> {
    await this.end('SIGKILL');
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Fetches a new token and uses it from now on. */
  async authenticate(): Promise<string> {
    const answer = await this.generate('simulator-key:simulator-secret');
    this.token = answer.body['access_token'] ?? '';
    return this.token;
  }

  generate(pair: string, query = '?grant_type=client_credentials'): Promise<Answer> {
    const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    return this.call(`/oauth/v1/generate${query}`, { headers: { authorization } });
  }

  push(phone: string, more: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    return this.post('/mpesa/stkpush/v1/processrequest', {
      BusinessShortCode: shortcode,
      Password: password,
      Timestamp: timestamp,
      TransactionType: 'CustomerPayBillOnline',
      Amount: 250,
      PartyA: phone,
      PartyB: shortcode,
      PhoneNumber: phone,
      CallBackURL: 'http://127.0.0.1:9/rails/00',
      AccountReference: 'PP0000000001',
      TransactionDesc: 'Payment',
      ...more,
    });
  }

  pay(phone: string, more: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    return this.post('/mpesa/b2c/v3/paymentrequest', {
      OriginatorConversationID: 'pp-1',
      InitiatorName: 'simulator-initiator',
      SecurityCredential: 'simulator-credential',
      CommandID: 'BusinessPayment',
      Amount: 250,
      PartyA: '600000',
      PartyB: phone,
      Remarks: 'Payout',
      QueueTimeOutURL: 'http://127.0.0.1:9/rails/00',
      ResultURL: 'http://127.0.0.1:9/rails/00',
      Occassion: 'Payout',
      ...more,
    });
  }

  reverse(receipt: string, more: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    return this.post('/mpesa/reversal/v1/request', {
      Initiator: 'simulator-initiator',
      SecurityCredential: 'simulator-credential',
      CommandID: 'TransactionReversal',
      TransactionID: receipt,
      Amount: '250.00',
      ReceiverParty: shortcode,
      RecieverIdentifierType: '11',
      ResultURL: 'http://127.0.0.1:9/rails/00',
      QueueTimeOutURL: 'http://127.0.0.1:9/rails/00',
      Remarks: 'Refund',
      ...more,
    });
  }

  /** Sends a query about a transaction or about the balance. */
  ask(
    what: 'transactionstatus' | 'accountbalance',
    resultUrl: string,
    more: Readonly<Record<string, unknown>> = {},
  ) {
    return this.post(`/mpesa/${what}/v1/query`, {
      Initiator: 'simulator-initiator',
      SecurityCredential: 'simulator-credential',
      CommandID: what === 'accountbalance' ? 'AccountBalance' : 'TransactionStatusQuery',
      PartyA: '600000',
      IdentifierType: '4',
      ResultURL: resultUrl,
      QueueTimeOutURL: resultUrl,
      Remarks: 'Payout',
      ...more,
    });
  }

  query(checkoutRequestId: string | undefined): Promise<Answer> {
    return this.post('/mpesa/stkpushquery/v1/query', {
      BusinessShortCode: shortcode,
      Password: password,
      Timestamp: timestamp,
      CheckoutRequestID: checkoutRequestId,
    });
  }

  /** @param body an object, sent as JSON, or text, sent as it is */
  post(path: string, body: unknown, token = this.token): Promise<Answer> {
    return this.call(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  put(path: string, body: object): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return this.call(path, { method: 'PUT', headers, body: JSON.stringify(body) });
  }

  remove(path: string): Promise<Answer> {
    return this.call(path, { method: 'DELETE' });
  }

  async stats(): Promise<Answer['body']> {
    return (await this.call('/_stats')).body;
  }

  /**
   * Returns the statement's rows, each a list of cells, without the header. No cell here contains a comma or a quote.
   */
  async statement(): Promise<string[][]> {
    const rows = (await this.statementText()).split('\r\n').slice(1, -1);
    return rows.map((row) => row.split(','));
  }

  async statementText(): Promise<string> {
    return (await fetch(`${this.url}/_statement.csv`)).text();
  }

  /** @throws if the connection breaks before an answer */
  private async call(path: string, init: RequestInit = {}): Promise<Answer> {
    const signal = AbortSignal.timeout(60_000);
    const response = await fetch(this.url + path, { ...init, signal });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }
}

/** The content of a callback, and when it came. */
export interface Callback {
  readonly path: string;
  readonly raw: string;
  readonly atMs: number;
  readonly checkoutRequestId: string;
  readonly resultCode: number;
  /** Its metadata by name; empty if the payment failed. */
  readonly items: Readonly<Record<string, unknown>>;
}

interface RawResult {
  readonly ResultCode: number | string;
  readonly OriginatorConversationID: string;
  readonly ConversationID: string;
  readonly TransactionID: string;
  readonly ResultParameters?: { ResultParameter: { Key: string; Value: unknown }[] };
}

export interface RailResult {
  readonly path: string;
  readonly raw: string;
  readonly code: number | string;
  readonly originatorConversationId: string;
  readonly conversationId: string;
  readonly transactionId: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A merchant's server: accepts callbacks, acknowledges them, and keeps them. */
export class Receiver {
  readonly callbacks: Callback[] = [];
  /** Reports about payouts and reversals, and answers to queries. */
  readonly results: RailResult[] = [];
  /** Confirmations and validations of payments without a push. */
  readonly notices: { readonly path: string; readonly body: Readonly<Record<string, string>> }[] =
    [];
  /** The paths of callbacks and notices, in the order in which they came. */
  readonly paths: string[] = [];
  /** The answer to a notice. */
  answer = '{"ResultCode":0,"ResultDesc":"Accepted"}';
  /** The delay of an acknowledgement. */
  slownessMs = 0;
  /** True if it never answers. */
  silent = false;
  private constructor(private readonly server: Server) {}

  static async start(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', (request, response) => void receiver.take(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  /** Returns a callback URL for one push. */
  url(token: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/rails/${token}`;
  }

  of(token: string): readonly Callback[] {
    return this.callbacks.filter(({ path }) => path === `/rails/${token}`);
  }

  noticesAt(token: string): readonly Readonly<Record<string, string>>[] {
    return this.notices.filter(({ path }) => path === `/rails/${token}`).map(({ body }) => body);
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let raw = '';
    for await (const chunk of request) raw += String(chunk);
    const path = request.url ?? '';
    this.paths.push(path.replace('/rails/', ''));
    if (raw.startsWith('{"TransactionType"')) {
      this.notices.push({ path, body: JSON.parse(raw) as Record<string, string> });
      response.end(this.answer);
      return;
    }
    if (raw.startsWith('{"Result"')) {
      const { Result } = JSON.parse(raw) as { Result: RawResult };
      const list = Result.ResultParameters?.ResultParameter ?? [];
      this.results.push({
        path,
        raw,
        code: Result.ResultCode,
        originatorConversationId: Result.OriginatorConversationID,
        conversationId: Result.ConversationID,
        transactionId: Result.TransactionID,
        parameters: Object.fromEntries(list.map(({ Key, Value }) => [Key, Value])),
      });
      response.end('{"ResultCode":0}');
      return;
    }
    const { stkCallback } = (
      JSON.parse(raw) as {
        Body: {
          stkCallback: {
            CheckoutRequestID: string;
            ResultCode: number;
            CallbackMetadata?: { Item: { Name: string; Value?: unknown }[] };
          };
        };
      }
    ).Body;
    this.callbacks.push({
      path,
      raw,
      atMs: Date.now(),
      checkoutRequestId: stkCallback.CheckoutRequestID,
      resultCode: stkCallback.ResultCode,
      items: Object.fromEntries(
        (stkCallback.CallbackMetadata?.Item ?? []).map(({ Name, Value }) => [Name, Value]),
      ),
    });
    if (this.silent) return;
    await sleep(this.slownessMs);
    response.setHeader('content-type', 'application/json');
    response.end('{"ResultCode":0,"ResultDesc":"Accepted"}');
  }
}

/** Waits until the condition holds, a minute at most. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('it did not come about within a minute');
    await sleep(10);
  }
}

/** Waits for a while, in which what must not come could come. */
export async function quiet(): Promise<void> {
  await sleep(4 * delayMs);
}
