import { type KeyObject, randomUUID } from 'node:crypto';
import { signV4, stringToSign } from '#shared/signing';

/** The values that a merchant's system needs to sign requests. */
export interface Signer {
  readonly privateKey: KeyObject;
  readonly accessToken: string;
}

export interface RequestToSign {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  /** The body's text, as sent. */
  readonly body?: string;
  readonly nonce?: string;
  /** Unix seconds. */
  readonly timestamp?: string;
}

/** The headers of a V4 request that is valid in every respect; specs spoil the one that they test. */
export function signedHeaders(signer: Signer, request: RequestToSign): Record<string, string> {
  const { method, url, body, nonce = randomUUID() } = request;
  const { timestamp = Math.floor(Date.now() / 1000).toString() } = request;
  const [rawPath = '', rawQuery = ''] = url.split(/\?(.*)/s);
  const bodyBytes = Buffer.from(body ?? '');
  const text = stringToSign({ method, rawPath, rawQuery, bodyBytes, nonce, timestamp });
  if (!text.ok) throw new RangeError(`a query that cannot be signed: ${rawQuery}`);
  return {
    authorization: `Bearer ${signer.accessToken}`,
    'x-pp-signature': signV4(signer.privateKey, text.value),
    'x-pp-nonce': nonce,
    'x-pp-timestamp': timestamp,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
}
