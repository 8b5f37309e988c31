import { createPrivateKey, randomBytes, randomUUID, type KeyObject } from 'node:crypto';
import { signV4, stringToSign } from '#shared/signing';
import { type DemoCredential } from './demo-file.js';

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: string;
  readonly json?: object;
}

const answerDeadlineMs = 30_000;

/** A minimal V4 client of a merchant: a token, then signed calls. */
export class DemoClient {
  readonly #privateKey: KeyObject;
  #token = '';

  constructor(
    private readonly origin: string,
    private readonly credential: DemoCredential,
    private readonly nowMs: () => number,
  ) {
    this.#privateKey = createPrivateKey(credential.private_key_pem);
  }

  /** Fetches a token for the calls that follow. */
  async authenticate(): Promise<Answer> {
    const { client_id: id, client_secret: secret } = this.credential;
    const answer = await this.#send('/api/v4/oauth/token', {
      method: 'POST',
      body: 'grant_type=client_credentials',
      headers: {
        authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
    });
    const token = answer.body['access_token'];
    if (answer.status === 200 && typeof token === 'string') this.#token = token;
    return answer;
  }

  /** @throws if no server answers in time */
  call({ method, path, query = '', json }: Call): Promise<Answer> {
    const body = json === undefined ? '' : JSON.stringify(json);
    const nonce = randomBytes(16).toString('base64url');
    const timestamp = String(Math.floor(this.nowMs() / 1000));
    const text = stringToSign({
      method,
      rawPath: path,
      rawQuery: query,
      bodyBytes: Buffer.from(body),
      nonce,
      timestamp,
    });
    if (!text.ok) throw new Error('the query cannot be signed');
    return this.#send(query === '' ? path : `${path}?${query}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        'x-pp-signature': signV4(this.#privateKey, text.value),
        'x-pp-nonce': nonce,
        'x-pp-timestamp': timestamp,
        ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
        ...(body !== '' && { 'content-type': 'application/json' }),
      },
      ...(body !== '' && { body }),
    });
  }

  async #send(target: string, init: RequestInit): Promise<Answer> {
    const signal = AbortSignal.timeout(answerDeadlineMs);
    const response = await fetch(this.origin + target, { ...init, signal });
    const text = await response.text();
    return {
      status: response.status,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
  }
}
