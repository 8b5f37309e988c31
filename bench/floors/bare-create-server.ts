import { createPublicKey, randomUUID } from 'node:crypto';
import fastify from 'fastify';
import { Redis } from 'ioredis';
import pg from 'pg';
import { GroupCommit } from './group-commit.js';
import { refusalOf, takeBytes } from './signed-request.js';

/**
 * The floor of `create`: a bare Fastify server that verifies the RSA signature, records the nonce with SET NX and
 * inserts one row, with many rows in a commit. No service can take a collection with less.
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
const rows = new GroupCommit<Buffer>(async (bodies) => {
  await pool.query({ ...insert, values: [bodies.map(() => randomUUID()), bodies] });
  return [];
});

const server = fastify();
takeBytes(server);
server.post('/api/v4/collections', async (request, reply) => {
  const refusal = await refusalOf(request, publicKey, redis);
  if (refusal) return reply.code(401).send({ error: refusal });
  await rows.add(request.body as Buffer);
  return reply.code(202).send({ status: 'pending' });
});
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
await server.listen({ host: '127.0.0.1', port: Number(PORT) });
