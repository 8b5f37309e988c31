import { createPublicKey, randomUUID } from 'node:crypto';
import fastify from 'fastify';
import { Redis } from 'ioredis';
import pg from 'pg';
import { stringToSign, verifyV4 } from '#shared/signing';

/**
 * The floor of `create`: a bare Fastify server that verifies the RSA signature, records the nonce with SET NX
 * and inserts one row, many rows to a commit. No collection could be taken with less.
 */
const { PORT, DATABASE_URL, REDIS_URL, PUBLIC_KEY_PEM } = process.env;
const publicKey = createPublicKey(PUBLIC_KEY_PEM ?? '');
const redis = new Redis(REDIS_URL ?? '');
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 2 });
await pool.query(
  'create table if not exists bare_intents (id uuid primary key, body bytea not null)',
);

const insert = {
  name: 'bare-insert',
  text: 'insert into bare_intents select * from unnest($1::uuid[], $2::bytea[])',
};
interface Waiting {
  readonly body: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}
let waiting: Waiting[] = [];
let committing = false;

/** Resolves when the row is committed; what arrives during a commit goes with the next one. */
function insertRow(body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    waiting.push({ body, resolve, reject });
    if (waiting.length === 1 && !committing) setImmediate(() => void commit());
  });
}

async function commit(): Promise<void> {
  committing = true;
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    try {
      const bodies = group.map(({ body }) => body);
      await pool.query({ ...insert, values: [bodies.map(() => randomUUID()), bodies] });
      for (const { resolve } of group) resolve();
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
  committing = false;
}

const server = fastify();
server.removeAllContentTypeParsers();
server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
  done(null, body);
});
server.post('/api/v4/collections', async (request, reply) => {
  const header = (name: string): string => String(request.headers[name]);
  const bodyBytes = request.body as Buffer;
  const [nonce, timestamp] = [header('x-pp-nonce'), header('x-pp-timestamp')];
  const { method, url: rawPath } = request;
  const text = stringToSign({ method, rawPath, rawQuery: '', bodyBytes, nonce, timestamp });
  if (!text.ok || !verifyV4(publicKey, text.value, header('x-pp-signature')))
    return reply.code(401).send({ error: 'invalid_signature' });
  if ((await redis.set(`bare:${nonce}`, '1', 'EX', 900, 'NX')) === null)
    return reply.code(401).send({ error: 'nonce_reused' });
  await insertRow(bodyBytes);
  return reply.code(202).send({ status: 'pending' });
});
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
await server.listen({ host: '127.0.0.1', port: Number(PORT) });
