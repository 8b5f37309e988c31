import { sealedMessage, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { deleteOld } from '#records/operations';
import { findMessages, findOwnKeys, RecordedSealedMessages } from './sealed-messages.js';

let own: ThrowAwayDatabase;
let messages: RecordedSealedMessages;
beforeAll(async () => {
  own = await throwAwayDatabase();
  messages = new RecordedSealedMessages(own.database);
});
afterAll(() => own.drop());
let stream: string;
beforeEach(() => {
  stream = `collection-demo:m:${randomUUID()}`;
});
const kept = () => findMessages(own.database, stream, 100);

it('stored messages are read back by stream, in the order of arrival', async () => {
  const request = sealedMessage({ stream, phoneHmac: '0a0b' });
  const answer = sealedMessage({ stream, kind: 'push_answer' });
  expect(await messages.keep(request)).toEqual(request.ownKey);
  await messages.keepSoon(answer);
  const { phoneHmac: _, ...asRead } = request;
  expect(await kept()).toMatchObject([asRead, { id: answer.id, kind: 'push_answer' }]);
  await messages.drop(request.id);
  expect(await kept()).toMatchObject([{ id: answer.id }]);
});

it('a message that is stored again keeps its first key, which seals its later evidence', async () => {
  const first = sealedMessage({ stream, kind: 'callback' });
  await messages.keep(first);
  const again = { ...sealedMessage({ stream, kind: 'callback' }), id: first.id };
  expect(Buffer.from(await messages.keep(again))).toEqual(first.ownKey);
  expect(await kept()).toHaveLength(1);
});

it('a message of an erased stream is stored without its key', async () => {
  await own.database.query('insert into records.erased_streams (stream) values ($1)', [stream]);
  const late = sealedMessage({ stream, kind: 'callback' });
  await messages.keep(late);
  expect(await kept()).toMatchObject([{ ownKey: undefined, erasedAt: expect.any(Date) }]);
  expect(Buffer.from(await messages.keep(late))).not.toEqual(late.ownKey);
  expect(await findOwnKeys(own.database, [late.id, randomUUID()])).toEqual(
    new Map([[late.id, { ownKey: undefined }]]),
  );
});

it('a message in flight while its stream is erased loses its key afterwards', async () => {
  const late = sealedMessage({ stream, kind: 'callback' });
  await messages.keep(late);
  await own.database.query('insert into records.erased_streams (stream) values ($1)', [stream]);
  const other = sealedMessage({ stream: `${stream}-other` });
  await messages.keep(other);
  const lately = 60_000;
  expect(await deleteOld.keysOfErased(own.database, lately)).toBe(1);
  expect(await kept()).toMatchObject([{ ownKey: undefined, erasedAt: expect.any(Date) }]);
  expect(await findMessages(own.database, `${stream}-other`, 1)).toMatchObject([
    { ownKey: other.ownKey },
  ]);
  expect(await deleteOld.keysOfErased(own.database, lately)).toBe(0);
});

it('a payout in a batch is shown by the batch’s request', async () => {
  const items = [1, 2].map((n) => ({
    id: randomUUID(),
    stream: `${stream}-${n}`,
    phoneHmac: '0a0b',
  }));
  const batch = sealedMessage({ stream, items });
  await messages.keep(batch);
  expect(await findMessages(own.database, `${stream}-2`, 10)).toMatchObject([
    { id: batch.id, stream },
  ]);
  await messages.drop(batch.id);
  expect(await findMessages(own.database, `${stream}-1`, 10)).toEqual([]);
});
