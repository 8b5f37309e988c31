import { createSecretKey } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo } from 'node:net';
import { type MakeTokenSource, type TokenSource } from '#edges/rails';
import { SubscriberSeal } from '#shared/signing';

export const subscribers = new SubscriberSeal(createSecretKey(Buffer.alloc(32, 7)));

export interface Seen {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
export type Script = (response: ServerResponse, request: IncomingMessage) => void;

export const json =
  (status: number, body: object): Script =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
export const error = (status: number, errorCode: string) =>
  json(status, { requestId: '1', errorCode, errorMessage: 'x' });
export const hang: Script = () => undefined;
export const reset: Script = (_response, request) => {
  request.socket.resetAndDestroy();
};

/** A rail that answers as the test says: with the next script of the path, and then with the last one again and again. */
export class FakeRail {
  readonly seen: Seen[] = [];
  readonly scripts = new Map<string, Script[]>();
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      const { headers } = request;
      const body = Buffer.concat(chunks).toString();
      this.seen.push({ path, authorization: headers.authorization, headers, body });
      const scripts = this.scripts.get(path) ?? [];
      const script = scripts.length > 1 ? scripts.shift() : scripts[0];
      (script ?? error(404, '404.000.00'))(response, request);
    });
  });
  #tokens = 0;

  /** @param tokenPath the path at which the rail gives tokens */
  constructor(readonly tokenPath: string) {
    this.tokens((response, request) => {
      this.#tokens += 1;
      const answer = { access_token: `token-${this.#tokens}`, expires_in: '3599' };
      json(200, answer)(response, request);
    });
  }

  async listen(port = 0): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
  tokens(...scripts: Script[]): void {
    this.scripts.set(this.tokenPath, scripts);
  }
}

/** A Daraja that answers as the test says. */
export class FakeDaraja extends FakeRail {
  constructor() {
    super('/oauth/v1/generate');
  }

  pushes(...scripts: Script[]): void {
    this.scripts.set('/mpesa/stkpush/v1/processrequest', scripts);
  }
  queries(...scripts: Script[]): void {
    this.scripts.set('/mpesa/stkpushquery/v1/query', scripts);
  }
  get queried(): Seen[] {
    return this.seen.filter(({ path }) => path.includes('stkpushquery/'));
  }
  get pushed(): Seen[] {
    return this.seen.filter(({ path }) => path.includes('stkpush/'));
  }
}

/** A token cache of one process, without a server. */
export class OwnToken implements TokenSource {
  #token: Promise<string> | undefined;
  constructor(private readonly options: Parameters<MakeTokenSource>[0]) {}
  get(): Promise<string> {
    this.#token ??= this.options.fetch().then(({ token }) => token);
    this.#token.catch(() => (this.#token = undefined));
    return this.#token;
  }
  invalidate(): Promise<void> {
    this.#token = undefined;
    return Promise.resolve();
  }
}
