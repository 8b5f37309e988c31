import { type KeyObject } from 'node:crypto';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type Redis } from 'ioredis';
import { stringToSign, verifyV4 } from '#shared/signing';

/** The time for which the service remembers a nonce. */
const nonceSeconds = 900;

/** Makes bodies bytes, because a signature covers bytes. */
export function takeBytes(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
}

export function header(request: FastifyRequest, name: string): string {
  return String(request.headers[name]);
}

/** Checks the RSA signature, then that its nonce is new: SET NX. @returns the code of a refusal */
export async function refusalOf(
  request: FastifyRequest,
  publicKey: KeyObject,
  redis: Redis,
): Promise<'invalid_signature' | 'nonce_reused' | undefined> {
  const [nonce, timestamp] = [header(request, 'x-pp-nonce'), header(request, 'x-pp-timestamp')];
  const { method, url: rawPath } = request;
  const bodyBytes = request.body as Buffer;
  const text = stringToSign({ method, rawPath, rawQuery: '', bodyBytes, nonce, timestamp });
  if (!text.ok || !verifyV4(publicKey, text.value, header(request, 'x-pp-signature')))
    return 'invalid_signature';
  const taken = await redis.set(`bare:${nonce}`, '1', 'EX', nonceSeconds, 'NX');
  return taken === null ? 'nonce_reused' : undefined;
}
