import { createHash, createHmac, createPublicKey, randomBytes, randomUUID } from 'node:crypto';
import fastify from 'fastify';
import { Redis } from 'ioredis';
import { header, refusalOf, takeBytes } from '../floors/signed-request.js';
import { openLedgerTables, slotOf } from './ledger-tables.js';
import { RailClient } from './rail-client.js';

/**
 * The peer of `lifecycle`: a ledger as a good team would write it by hand on bare Fastify and Postgres, without a log
 * of events, evidence or reviews. It checks the same signature, and keeps the nonce in Redis. It makes each collection
 * durable before the push and the rail's reference after it. It posts legs, balances and an outbox row in one commit.
 */
const { PORT, DATABASE_URL, REDIS_URL, RAIL_URL, PUBLIC_KEY_PEM, ACCESS_TOKEN } = process.env;
const by = process.env['COMMIT'] === 'group' ? 'group' : 'row';
const merchantId = 'peer';
const feeShare = 0.015;

const publicKey = createPublicKey(PUBLIC_KEY_PEM ?? '');
const authorization = `Bearer ${ACCESS_TOKEN ?? ''}`;
const callbackKey = randomBytes(32);
const redis = new Redis(REDIS_URL ?? '', { enableAutoPipelining: true });
const rail = new RailClient(RAIL_URL ?? '');
const tables = await openLedgerTables(DATABASE_URL ?? '', by);

interface Asked {
  readonly account_no: string;
  readonly phone: string;
  readonly amount_minor: number;
  readonly currency: string;
  readonly reference: string;
}

function isAsked(body: unknown): body is Asked {
  const { account_no, phone, amount_minor, currency, reference } = body as Record<string, unknown>;
  return (
    [account_no, reference].every((text) => typeof text === 'string' && text.length < 100) &&
    /^254[17]\d{8}$/.test(String(phone)) &&
    Number.isSafeInteger(amount_minor) &&
    Number(amount_minor) > 0 &&
    currency === 'KES'
  );
}

/** Returns the proof for this intent, which only the rail received. */
function proofOf(id: string): string {
  return createHmac('sha256', callbackKey).update(id).digest('hex');
}

const server = fastify();
takeBytes(server);

server.post('/api/v4/collections', async (request, reply) => {
  if (request.headers.authorization !== authorization)
    return reply.code(401).send({ error: 'invalid_token' });
  const refusal = await refusalOf(request, publicKey, redis);
  if (refusal) return reply.code(401).send({ error: refusal });
  const bytes = request.body as Buffer;
  const asked: unknown = JSON.parse(bytes.toString());
  if (!isAsked(asked)) return reply.code(400).send({ error: 'invalid_request' });
  const [id, key] = [randomUUID(), header(request, 'idempotency-key')];
  const digest = createHash('sha256').update(bytes).digest();
  const { reference, account_no, phone, currency, amount_minor } = asked;
  const fee = Math.round(amount_minor * feeShare);
  const row = [id, merchantId, key, reference, digest, account_no, phone, currency];
  if (!(await tables.intend([...row, amount_minor, fee]))) {
    const found = await tables.pool.query<{ status: string; isSame: boolean }>({
      name: 'again',
      text: 'select status, body_sha256 = $3 as "isSame" from intents where merchant_id = $1 and idempotency_key = $2',
      values: [merchantId, key, digest],
    });
    const [before] = found.rows;
    return before?.isSame
      ? reply.code(202).send({ reference, status: before.status })
      : reply.code(409).send({ error: before ? 'idempotency_key_reused' : 'duplicate_reference' });
  }
  const railReference = await rail.push({
    phone,
    amountMinor: amount_minor,
    accountReference: id.slice(-12).toUpperCase(),
    callbackUrl: `http://127.0.0.1:${PORT ?? ''}/rails/${id}/${proofOf(id)}`,
  });
  if (railReference === undefined) {
    await tables.settle([id, 'failed', null, slotOf(by)]);
    return reply.code(502).send({ error: 'rail_refused' });
  }
  await tables.accept([id, railReference]);
  return reply.code(202).send({ reference, status: 'pending' });
});

interface Callback {
  readonly Body: {
    readonly stkCallback: {
      readonly ResultCode: number;
      readonly CallbackMetadata?: { readonly Item: readonly { Name: string; Value?: unknown }[] };
    };
  };
}

server.post<{ Params: { id: string; proof: string } }>(
  '/rails/:id/:proof',
  async (request, reply) => {
    const { id, proof } = request.params;
    if (proof !== proofOf(id)) return reply.code(404).send();
    const { stkCallback } = (JSON.parse((request.body as Buffer).toString()) as Callback).Body;
    const items = stkCallback.CallbackMetadata?.Item ?? [];
    const receipt = items.find(({ Name }) => Name === 'MpesaReceiptNumber')?.Value;
    const isPaid = stkCallback.ResultCode === 0 && typeof receipt === 'string';
    await tables.settle([id, ...(isPaid ? ['completed', receipt] : ['failed', null]), slotOf(by)]);
    return reply.send({ ResultCode: 0, ResultDesc: 'Accepted' });
  },
);

process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
await server.listen({ host: '127.0.0.1', port: Number(PORT) });
