import { createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { stringToSign } from '#shared/signing';
import { type Signer, type UnsignedRequest } from './protocol.js';

/**
 * Signs on Node's threads: a signature costs more than the rest of a request, and all processors may help while nothing
 * is measured.
 */
const signAside = promisify(
  (data: Buffer, key: KeyObject, done: (error: Error | null, signature: Buffer) => void): void => {
    sign('sha256', data, key, done);
  },
);

/** Signs the requests as `signV4` does, and returns the bytes for the wire. */
export async function signAll(
  signer: Signer,
  requests: readonly UnsignedRequest[],
): Promise<Buffer[]> {
  const key = createPrivateKey(signer.privateKeyPem);
  const timestamp = Math.floor(Date.now() / 1000).toString();
  return Promise.all(
    requests.map((request) => bytesOf(request, { key, timestamp, token: signer.accessToken })),
  );
}

async function bytesOf(
  { method, url, body = '', idempotencyKey }: UnsignedRequest,
  { key, timestamp, token }: { key: KeyObject; timestamp: string; token: string },
): Promise<Buffer> {
  const [rawPath = '', rawQuery = ''] = url.split(/\?(.*)/s);
  const nonce = randomUUID();
  const bodyBytes = Buffer.from(body);
  const text = stringToSign({ method, rawPath, rawQuery, bodyBytes, nonce, timestamp });
  if (!text.ok) throw new RangeError(`a query that cannot be signed: ${rawQuery}`);
  const signature = await signAside(Buffer.from(text.value), key);
  const lines = [
    `${method} ${url} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${token}`,
    `X-PP-Signature: ${signature.toString('base64')}`,
    `X-PP-Nonce: ${nonce}`,
    `X-PP-Timestamp: ${timestamp}`,
    ...(idempotencyKey === undefined ? [] : [`Idempotency-Key: ${idempotencyKey}`]),
    ...(method === 'POST'
      ? ['Content-Type: application/json', `Content-Length: ${bodyBytes.length}`]
      : []),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bodyBytes]);
}
