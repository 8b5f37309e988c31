import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto';
import { signV4, stringToSign } from '#shared/signing';
import { type Signer, type UnsignedRequest } from './protocol.js';

/** Signs the requests and lays them out as the bytes that go over the wire. */
export function signAll(signer: Signer, requests: readonly UnsignedRequest[]): Buffer[] {
  const key = createPrivateKey(signer.privateKeyPem);
  const timestamp = Math.floor(Date.now() / 1000).toString();
  return requests.map((request) => bytesOf(request, { key, timestamp, token: signer.accessToken }));
}

function bytesOf(
  { method, url, body = '', idempotencyKey }: UnsignedRequest,
  { key, timestamp, token }: { key: KeyObject; timestamp: string; token: string },
): Buffer {
  const [rawPath = '', rawQuery = ''] = url.split(/\?(.*)/s);
  const nonce = randomUUID();
  const bodyBytes = Buffer.from(body);
  const text = stringToSign({ method, rawPath, rawQuery, bodyBytes, nonce, timestamp });
  if (!text.ok) throw new RangeError(`a query that cannot be signed: ${rawQuery}`);
  const lines = [
    `${method} ${url} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${token}`,
    `X-PP-Signature: ${signV4(key, text.value)}`,
    `X-PP-Nonce: ${nonce}`,
    `X-PP-Timestamp: ${timestamp}`,
    ...(idempotencyKey === undefined ? [] : [`Idempotency-Key: ${idempotencyKey}`]),
    ...(method === 'POST'
      ? ['Content-Type: application/json', `Content-Length: ${bodyBytes.length}`]
      : []),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bodyBytes]);
}
