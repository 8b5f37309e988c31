import { createHash, createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

interface Keys {
  readonly public_key_pem: string;
  readonly private_key_pem: string;
}

/** The published key pair of the signing vectors. */
export const keys = JSON.parse(
  readFileSync(new URL('../../shared/signing/vectors.json', import.meta.url), 'utf8'),
) as Keys;
const publicKey = createPublicKey(keys.public_key_pem);

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** The answer to the next request. */
export type Turn =
  | {
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Record<string, string>;
      /** Sent exactly as it is, instead of `body`. */
      readonly text?: string;
    }
  | 'cut the connection'
  | 'say nothing'
  | 'begin and cut'
  | 'one byte at a time';

/** A service on loopback with scripted answers, in order. The last one repeats. */
export class ScriptedService {
  readonly requests: SeenRequest[] = [];
  /** The requests to POST /api/v4/oauth/token. */
  readonly tokenRequests: SeenRequest[] = [];
  /** The answers of the token endpoint, in order; then tokens that last an hour. */
  tokenTurns: Turn[] = [];
  turns: Turn[] = [];

  private constructor(
    readonly url: string,
    private readonly close: () => Promise<void>,
  ) {}

  static async start(): Promise<ScriptedService> {
    const server = createServer((request, response) => {
      void service.answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const service = new ScriptedService(`http://127.0.0.1:${port}`, async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    return service;
  }

  stop(): Promise<void> {
    return this.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await read(request);
    const isToken = seen.url === '/api/v4/oauth/token';
    (isToken ? this.tokenRequests : this.requests).push(seen);
    perform(isToken ? this.nextTokenTurn() : this.nextTurn(), response);
  }

  private nextTurn(): Turn {
    const [turn = { status: 500, body: { error: 'internal_error' } }] = this.turns;
    if (this.turns.length > 1) this.turns.shift();
    return turn;
  }

  private nextTokenTurn(): Turn {
    const access_token = `token-${this.tokenRequests.length}`;
    const body = { access_token, token_type: 'Bearer', expires_in: 3600 };
    return this.tokenTurns.shift() ?? { status: 200, body };
  }
}

function perform(turn: Turn, response: ServerResponse): void {
  if (turn === 'say nothing') return;
  if (turn === 'cut the connection') {
    response.socket?.destroy();
    return;
  }
  if (turn === 'begin and cut') {
    response.writeHead(202, { 'content-length': '1000' });
    response.write('{"status":', () => response.socket?.destroy());
    return;
  }
  if (turn === 'one byte at a time') {
    response.writeHead(200, { 'content-length': '100000' });
    const drip = setInterval(() => response.write(' '), 20);
    response.once('close', () => {
      clearInterval(drip);
    });
    return;
  }
  response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers });
  response.end(turn.text ?? JSON.stringify(turn.body));
}

async function read(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk);
  const headers = request.headers as SeenRequest['headers'];
  const { method = '', url = '' } = request;
  return { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
}

/**
 * True if the request is signed by the vectors' key, checked independently here. The client's queries are canonical as
 * sent.
 */
export function isSigned({ method, url, headers, body }: SeenRequest): boolean {
  const [path = '', query = ''] = url.split('?');
  const digest = createHash('sha256').update(body).digest('hex');
  const { 'x-pp-nonce': nonce = '', 'x-pp-timestamp': timestamp = '' } = headers;
  const text = [method, path, query, digest, nonce, timestamp].join('\n');
  const signature = Buffer.from(headers['x-pp-signature'] ?? '', 'base64');
  return verify('sha256', Buffer.from(text), publicKey, signature);
}
