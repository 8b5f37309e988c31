import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { pesapost, type Service, withKeyFile } from '#testing';

export interface V3Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** The members that V3 signs, in its order. */
const signedMembers = ['accountNumber', 'ref', 'mobileNumber', 'amount', 'currency'];

/** Values of a body, as an old client has them before it writes JSON. */
export type Values = Readonly<Record<string, unknown>>;

/** The text that a V3 client signs: texts unchanged, numbers as JSON writes them. */
export function literalText(values: Values): string {
  return signedMembers
    .map((name) => values[name])
    .map((value) => (typeof value === 'string' || typeof value === 'number' ? String(value) : ''))
    .join('');
}

const requestDeadlineMs = 60_000;

/** A V3 client as its developers wrote it: concatenate, sign, send. */
export class V3Client {
  constructor(
    readonly baseUrl: string,
    readonly credential: {
      readonly credentialId: string;
      readonly consumerKey: string;
      readonly vid: string;
      readonly privateKey: KeyObject;
    },
  ) {}

  sign(text: string): string {
    const { privateKey } = this.credential;
    return sign('sha256', Buffer.from(text, 'utf8'), privateKey).toString('base64');
  }

  balance([cc, acc, cur]: readonly [string, string, string], query = '?live=0'): Promise<V3Answer> {
    return this.send('GET', `/v3/account/balance/${cc}/${acc}/${cur}${query}`, {
      signature: this.sign(cc + acc + cur),
    });
  }

  collect(values: Values): Promise<V3Answer> {
    return this.post(JSON.stringify(values), literalText(values));
  }

  /** Sends a body unchanged, signed over a text. */
  post(body: string, signed: string, headers: Record<string, string> = {}): Promise<V3Answer> {
    return this.send('POST', '/v3/collect/mpesa', {
      body,
      signature: this.sign(signed),
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  async send(
    method: string,
    target: string,
    {
      body,
      signature,
      headers = {},
    }: {
      readonly body?: string;
      readonly signature?: string;
      readonly headers?: Readonly<Record<string, string>>;
    },
  ): Promise<V3Answer> {
    const response = await fetch(this.baseUrl + target, {
      method,
      headers: {
        'x-consumer-key': this.credential.consumerKey,
        ...(signature === undefined ? {} : { signature }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(requestDeadlineMs),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, body: answer };
  }
}

/** Issues a V3 credential for a merchant's old client; `more` are further options of the command. */
export async function issueV3(
  { env, baseUrl }: Pick<Service, 'env' | 'baseUrl'>,
  merchantId: string,
  ...more: string[]
): Promise<V3Client> {
  return withKeyFile(async (file, privateKeyPem) => {
    const issued = await pesapost(
      env,
      ...['credential', 'issue', '--kind', 'v3', '--merchant', merchantId, '--public-key', file],
      ...['--holder', 'old shop', '--reason', 'test', '--as', 'spec', ...more],
    );
    return new V3Client(baseUrl, {
      credentialId: issued['credential_id'] ?? '',
      consumerKey: issued['consumer_key'] ?? '',
      vid: issued['vid'] ?? '',
      privateKey: createPrivateKey(privateKeyPem),
    });
  });
}
