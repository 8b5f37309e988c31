import { sealedMessage, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import {
  type NewClaim,
  findClaims,
  insertClaims,
  IdempotencyClaims,
} from './idempotency-claims.js';
import { deleteOld } from '#records/operations';
import { findMessages } from '#records/evidence';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase();
});
afterAll(async () => {
  await own.drop();
});

const newClaim = (reference = 'r-1'): NewClaim => ({
  keyHash: randomBytes(32),
  fingerprint: randomBytes(32),
  reference,
  message: sealedMessage(),
});

describe('an idempotency claim', () => {
  it('is won by the first caller and shown to later ones', async () => {
    const claims = new IdempotencyClaims(own.database);
    const mine = newClaim();
    expect(await claims.claim(mine)).toMatchObject({ kind: 'claimed' });
    const other = { ...mine, fingerprint: randomBytes(32), reference: 'r-2' };
    const answer = await claims.claim(other);
    expect(answer).toMatchObject({
      kind: 'existing',
      fingerprint: mine.fingerprint,
      reference: 'r-1',
    });
    if (answer.kind === 'existing') expect(answer.ageMs).toBeLessThan(60_000);
  });

  it('is won by exactly one of many racing callers, in one batch and across replicas', async () => {
    const second = own.database.beside({});
    const replicas = [new IdempotencyClaims(own.database), new IdempotencyClaims(second)];
    const keys = Array.from({ length: 40 }, (_, n) => newClaim(`r-${n}`));
    const answers = await Promise.all(
      keys.flatMap((key) =>
        [...replicas, ...replicas].map(async (r) => [key, await r.claim(key)] as const),
      ),
    );
    for (const key of keys) {
      const kinds = answers.filter(([k]) => k === key).map(([, { kind }]) => kind);
      expect(kinds.sort()).toEqual(['claimed', 'existing', 'existing', 'existing']);
    }
    await second.close();
  });

  it('can be given back by its current owner, but not by its previous one', async () => {
    const claims = new IdempotencyClaims(own.database);
    const mine = newClaim();
    const made = await claims.claim(mine);
    if (made.kind !== 'claimed') throw new Error('the key is new');
    const { keyHash, message } = mine;
    expect(await claims.takeOver({ ...mine, claimedAt: made.claimedAt })).toBe(true);
    expect(await claims.giveBack({ ...mine, claimedAt: made.claimedAt })).toBe(false);
    const [theirs] = await findClaims(own.database, [keyHash]);
    if (!theirs) throw new Error('the claim is gone');
    expect(await claims.giveBack({ ...theirs, message })).toBe(true);
    expect(await findClaims(own.database, [keyHash])).toEqual([]);
  });

  it('keeps the bytes of the call that owns it, and of no other', async () => {
    const claims = new IdempotencyClaims(own.database);
    const stream = 'collection-demo:m:bytes';
    const mine = { ...newClaim(), message: sealedMessage({ stream }) };
    const call = () => ({ ...mine, message: sealedMessage({ stream }) });
    const kept = async () => (await findMessages(own.database, stream, 10)).map(({ id }) => id);
    const [made] = await Promise.all([mine, call(), call()].map((each) => claims.claim(each)));
    await claims.claim(call());
    expect(await kept()).toEqual([mine.message.id]);

    if (made?.kind !== 'claimed') throw new Error('the key is new');
    const { claimedAt } = made;
    const other = call();
    expect(await claims.takeOver({ ...other, claimedAt })).toBe(true);
    expect(await claims.takeOver({ ...call(), claimedAt })).toBe(false);
    expect(await kept()).toEqual([mine.message.id, other.message.id]);
    expect(await claims.giveBack({ ...mine, claimedAt })).toBe(false);
    expect(await kept()).toEqual([other.message.id]);
  });

  it('keeps its bytes without their key if its stream was erased', async () => {
    const claims = new IdempotencyClaims(own.database);
    const stream = 'payout-demo:m:erased';
    await own.database.query('insert into records.erased_streams (stream) values ($1)', [stream]);
    const mine = { ...newClaim(), message: sealedMessage({ stream }) };
    const made = await claims.claim(mine);
    if (made.kind !== 'claimed') throw new Error('the key is new');
    const next = { ...mine, message: sealedMessage({ stream }) };
    expect(await claims.takeOver({ ...next, claimedAt: made.claimedAt })).toBe(true);
    const kept = await findMessages(own.database, stream, 10);
    expect(kept.map(({ id, ownKey }) => [id, ownKey])).toEqual([
      [mine.message.id, undefined],
      [next.message.id, undefined],
    ]);
  });

  it('has only one new owner among the callers that saw it, and only under the same fingerprint', async () => {
    const claims = new IdempotencyClaims(own.database);
    const mine = newClaim();
    await insertClaims(own.database, [mine]);
    const [seen] = await findClaims(own.database, [mine.keyHash]);
    if (!seen) throw new Error('the claim is gone');
    const wanted = () => ({ ...seen, message: sealedMessage() });
    expect(await claims.takeOver({ ...wanted(), fingerprint: randomBytes(32) })).toBe(false);
    const outcomes = await Promise.all([1, 2, 3].map(() => claims.takeOver(wanted())));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    expect(await claims.takeOver(wanted())).toBe(false);
  });

  it('is deleted by its age on the clock with its offset', async () => {
    const old = newClaim('old');
    await insertClaims(own.database, [old]);
    const inFortyDays = own.database.beside({ clockOffsetMs: 40 * 86_400_000 });
    const young = newClaim('young');
    await insertClaims(inFortyDays, [young]);
    expect(await deleteOld.idempotencyClaims(inFortyDays, 30 * 86_400_000)).toBeGreaterThan(0);
    const left = await findClaims(own.database, [old.keyHash, young.keyHash]);
    expect(left).toMatchObject([{ reference: 'young' }]);
    await inFortyDays.close();
  });
});
