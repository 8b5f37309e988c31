import { SystemClock } from '#infra/runtime';
import { eventually, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentialsChannel } from '#views/merchants';
import { collectionStream } from '#domain/collections';
import { type UniqueNameKind, type WebhookEndpointKey } from '#domain/merchants';
import {
  AccessTokens,
  ClientSecrets,
  insertClientSecret,
  RecordedCredentialSecrets,
  RecordedUniqueNames,
} from '#records/credentials';
import { type Claimed, type InboxEntry, RailWorkOptions } from '#edges/rails';
import { type Queryable } from '#infra/postgres';
import { Keyring, type MasterKey } from '#shared/signing';
import { sealedRecordTables } from './sealed-tables.js';
import { waitingInboxEntries } from '#records/rails';
import { EndpointSecrets, RecordedWebhookSecrets } from '#records/webhooks';
import { findOpenProposals, findReviewProposals, RecordedReviewProposals } from '#records/reviews';
import { PendingForms } from '#records/people';
import { RecordedPayoutPhones } from '#records/payouts';
import {
  RecordedClaimedReferences,
  RecordedExtraQueries,
  RecordedInbox,
  RecordedQuerySchedule,
} from '#adapters/rail-records';
import { findSecret, keepSecret, rewrapTable } from '#records/keys';
import { createViews, viewSchema } from '#views/view-set';
import { deleteOld } from './delete-expired.js';

const minuteMs = 60_000;
let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase({ searchPath: [viewSchema()] });
  await createViews(own.database, viewSchema());
});
afterAll(async () => {
  await own.drop();
});

describe('the current time in the records', () => {
  it.each([
    ['records.access_tokens', 'expires_at < records.now_()'],
    ['records.idempotency_claims', "claimed_at < records.now_() - interval '30 days'"],
    ['records.callback_inbox', 'applied_at is null and next_attempt_at <= records.now_()'],
  ])('finds due rows in %s by its index, not by reading all rows', async (table, condition) => {
    const plan = await own.database.transaction(async (transaction) => {
      await transaction.query('set local enable_seqscan = off');
      return transaction.query(`explain (costs off) select 1 from ${table} where ${condition}`);
    });
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toMatch(/Index Cond: .*now_\(\)/);
  });
});

it('payout phone numbers are found and forgotten concurrently, one of a payout or all of them', async () => {
  const keyring = Keyring.from([{ id: 'k', bytes: randomBytes(32) }]);
  const tracesOf = (phone: string) => ({ phoneHmac: phone.slice(1), phoneMasked: '' });
  const phones = new RecordedPayoutPhones(own.database, keyring, { tracesOf });
  const of = ['a one', 'a other', 'b one', 'c one'].map(
    (each) => each.split(' ') as [string, string],
  );
  const find = () => Promise.all([...of, ...of.slice(0, 1)].map((each) => phones.find(...each)));
  await Promise.all(of.map(([stream, digest]) => phones.keep(stream, digest, stream + digest)));
  expect(await find()).toEqual(['aone', 'aother', 'bone', 'cone', 'aone']);
  await Promise.all([phones.forget('a', 'other'), phones.forget('b'), phones.forget('nobody')]);
  expect(await find()).toEqual(['aone', undefined, undefined, 'cone', 'aone']);
  // Sealed under the right id, but not the number that the log's digest is of.
  await phones.keep('d', 'one', 'dother');
  expect(await phones.find('d', 'one')).toBeUndefined();
  await phones.forgetAll(['a', 'c', 'd']);
});

describe('tokens and secrets of a credential', () => {
  const tokens = (database: Queryable = own.database) => new AccessTokens(database);
  // Use one instance, so that one statement reads both.
  const findTokens = (...hashes: Buffer[]) => {
    const all = tokens();
    return Promise.all(hashes.map((hash) => all.find(hash)));
  };
  const findSecrets = (...clientIds: string[]) => {
    const all = new ClientSecrets(own.database);
    return Promise.all(clientIds.map((id) => all.find(id)));
  };
  const revoke = (credentialId: string) =>
    new RecordedCredentialSecrets(
      own.database,
      Keyring.from([{ id: 'k', bytes: randomBytes(32) }]),
    ).revoke(credentialId);

  it('are found until they expire and are removed with the credential, which is announced', async () => {
    const credentialId = randomUUID();
    const heard: (string | undefined)[] = [];
    const listening = await own.database.listen(credentialsChannel, (payload) => {
      heard.push(payload);
    });
    const [short, long, secretHash] = [randomBytes(32), randomBytes(32), randomBytes(32)];
    await insertClientSecret(own.database, { clientId: 'c-1', credentialId, secretHash });
    await tokens().issue({
      tokenHash: short,
      credentialId,
      lifetimeMs: 100,
    });
    const expiresAt = await tokens().issue({
      tokenHash: long,
      credentialId,
      lifetimeMs: 3_600_000,
    });
    const found = { credentialId, expiresAt };
    expect(await findTokens(long)).toEqual([found]);
    await sleep(150);
    expect(await findTokens(short, long)).toEqual([undefined, found]);
    expect(await deleteOld.accessTokens(own.database, 0)).toBe(1);

    expect(await findSecrets('c-0', 'c-1')).toEqual([undefined, { credentialId, secretHash }]);
    await revoke(credentialId);
    expect(await findTokens(long)).toEqual([undefined]);
    expect(await findSecrets('c-1')).toEqual([undefined]);
    await eventually(
      () => Promise.resolve(heard.length),
      (length) => length === 2,
    );
    expect(heard).toEqual([undefined, credentialId]);
    await listening.close();
  });

  it('are withdrawn one by one: the other secret of the credential still works', async () => {
    const keyring = Keyring.from([{ id: 'k', bytes: randomBytes(32) }]);
    const secrets = new RecordedCredentialSecrets(own.database, keyring);
    const credentialId = randomUUID();
    const [one, other] = [await secrets.issue(credentialId), await secrets.issue(credentialId)];
    await secrets.withdraw(other.clientId);
    expect(await findSecrets(one.clientId, other.clientId)).toEqual([
      expect.objectContaining({ credentialId }),
      undefined,
    ]);
    await revoke(credentialId);
  });

  it('are removed even if a token is being issued at the same time', async () => {
    const [credentialId, tokenHash] = [randomUUID(), randomBytes(32)];
    const secret = { clientId: 'c-racing', credentialId, secretHash: randomBytes(32) };
    await insertClientSecret(own.database, secret);
    const token = { tokenHash, credentialId, lifetimeMs: 60_000 };
    const { revoked } = await own.database.transaction(async (transaction) => {
      expect(await tokens(transaction).issue(token)).toBeInstanceOf(Date);
      const revoking = revoke(credentialId);
      await sleep(100);
      return { revoked: revoking };
    });
    await revoked;
    expect(await findTokens(tokenHash)).toEqual([undefined]);
    expect(await tokens().issue(token)).toBeUndefined();
  });
});

describe('a unique name', () => {
  const reserveName = async (name: { kind: UniqueNameKind; value: string; owner: string }) => {
    const names = new RecordedUniqueNames(own.database);
    return (await names.reserve(name.kind, name.value, name.owner)) ? 'reserved' : 'taken';
  };
  const findNameOwner = async (kind: UniqueNameKind, value: string) => {
    const find = 'select owner from records.unique_names where kind = $1 and value = $2';
    return (await own.database.query<{ owner: string }>(find, [kind, value]))[0]?.owner;
  };

  it('is reserved for its first owner, also when asked again, and not available to others', async () => {
    const name = { kind: 'account', value: '10000001', owner: 'merchant-1' } as const;
    const reserve = (owner: string) => reserveName({ ...name, owner });
    expect(await reserve('merchant-1')).toBe('reserved');
    expect(await reserve('merchant-1')).toBe('reserved');
    expect(await reserve('merchant-2')).toBe('taken');
    expect(await findNameOwner('account', '10000001')).toBe('merchant-1');
    expect(await findNameOwner('vid', '10000001')).toBeUndefined();
  });

  it('has only one owner if many race for it', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        reserveName({ kind: 'vid', value: 'demo', owner: `m-${n}` }),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === 'reserved')).toHaveLength(1);
  });
});

describe('the callback inbox', () => {
  const entry = (stream: string): InboxEntry => ({
    id: randomUUID(),
    channel: 'pigeon',
    stream,
    keyId: 'k1',
    ciphertext: randomBytes(40),
    sourceAddress: '196.201.214.200',
    trusted: true,
  });
  const rows = () => new RecordedInbox(own.database);
  const lease = (max = 100) => rows().leaseDue({ leaseMs: minuteMs, max });
  /** Lets a minute pass for the entries that wait. */
  const aMinutePasses = () =>
    own.database.query(
      `update records.callback_inbox set next_attempt_at = next_attempt_at - interval '1 minute'
        where applied_at is null`,
    );

  it('leases each due entry to one worker, and again if that worker does not return', async () => {
    const inbox = rows();
    const entries = Array.from({ length: 20 }, (_, n) => entry(`s-${n}`));
    await Promise.all(entries.map((one) => inbox.add(one)));
    const taken = (await Promise.all([lease(10), lease(10), lease(10)])).flat();
    expect(taken.map(({ id }) => id).sort()).toEqual(entries.map(({ id }) => id).sort());
    expect(taken.find(({ stream }) => stream === 's-3')).toMatchObject({
      ...entries[3],
      attempts: 1,
    });
    expect(await lease()).toEqual([]);
    await aMinutePasses();
    const again = await lease();
    expect(again.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 20 }, () => 2));
    for (const { id } of again) await rows().conclude(id, 'posted');
    expect(await waitingInboxEntries(own.database)).toEqual({
      entries: 0,
      oldestSeconds: 0,
    });
  });

  it('leases a rescheduled entry again when it is due, and never an applied one', async () => {
    const [later, done] = [entry('later'), entry('done')];
    const inbox = rows();
    await Promise.all([inbox.add(later), inbox.add(done)]);
    await inbox.add(later);
    expect(await lease()).toHaveLength(2);
    await rows().conclude(done.id, 'duplicate');
    for (const { id } of [later, done])
      await rows().reschedule({ id, delayMs: minuteMs, outcome: 'store away' });
    expect(await lease()).toEqual([]);
    await aMinutePasses();
    expect((await lease()).map(({ stream }) => stream)).toEqual(['later']);
    expect(await waitingInboxEntries(own.database)).toMatchObject({ entries: 1 });
    await sleep(5);
    expect(await deleteOld.inboxEntries(own.database, 0)).toBeGreaterThanOrEqual(1);
    expect(await waitingInboxEntries(own.database)).toMatchObject({ entries: 1 });
  });

  it('keeps the rail’s reports of money missing from the ledger until they are decided', async () => {
    await own.database.query('delete from records.callback_inbox');
    const day = 86_400_000;
    const report = (name: string, trusted: boolean, outcome: string, told = true) =>
      own.database.query(
        `insert into records.callback_inbox (id, stream, purpose, key_id, ciphertext, source_address, trusted, outcome,
             told, told_receipt, received_at, applied_at)
           values (gen_random_uuid(), 'c2b-live:mpesa:' || $1, 'notice', 'k', '', '::1', $2, $3, $4, $1,
             records.now_() - interval '91 days', records.now_() - interval '91 days')`,
        [name, trusted, outcome, told],
      );
    const left = 'left_for_review: other_short_code';
    await report('OPEN', true, left);
    await report('FOREIGN', false, left);
    await report('SETTLED', true, 'settled');
    await report('UNTOLD', true, 'left_for_review: unresolved', false);
    await report('KNOWN', true, left);
    await report('DISMISSED', true, 'dismissed');
    await own.database.query(
      `update records.callback_inbox set applied_at = records.now_() where told_receipt = 'DISMISSED'`,
    );
    await own.database.query(
      `insert into corrections (stream, id, merchant_id, mode, currency, legs, why, receipt, may_overdraw, proposed_by, proposed_at, position, confirmed_by, posted_at)
         values ('correction-live:1', '1', 'm-1', 'live', 'KES', '{}', 'w', 'KNOWN', false, 'a', now(), 1, 'b', now())`,
    );
    const kept = async () => {
      const rows = await own.database.query<{ name: string }>(
        'select told_receipt as name from records.callback_inbox order by 1',
      );
      return rows.map(({ name }) => name);
    };
    await deleteOld.inboxEntries(own.database, 90 * day);
    expect(await kept()).toEqual(['DISMISSED', 'OPEN']);
    await own.database.query(
      `update records.callback_inbox set outcome = 'dismissed', applied_at = records.now_() - interval '91 days'`,
    );
    await deleteOld.inboxEntries(own.database, 90 * day);
    expect(await kept()).toEqual([]);
  });

  it('keeps such reports no longer than evidence, and only the newest 10,000', async () => {
    const day = 86_400_000;
    await own.database.query(
      `insert into records.callback_inbox (id, stream, purpose, key_id, ciphertext, source_address, trusted, outcome,
           told, told_receipt, received_at, applied_at)
         select gen_random_uuid(), 'c2b-live:mpesa:N' || n, 'notice', 'k', '', '::1', true, 'left_for_review: x', true,
             'N' || n, records.now_() - n * interval '1 hour' - interval '91 days', records.now_()
           from generate_series(1, 10003) n`,
    );
    expect(await deleteOld.inboxEntries(own.database, 90 * day)).toBe(3);
    expect(await deleteOld.inboxEntries(own.database, 90 * day)).toBe(0);
    expect(await deleteOld.keptReports(own.database, 500 * day)).toBeGreaterThan(0);
    await own.database.query('delete from records.callback_inbox');
  });
});

describe('the sealed messages', () => {
  it('are deleted by age, and the latest deleted time is recorded', async () => {
    const upTo = () =>
      own.database.query(
        `select round(extract(epoch from records.now_() - up_to) / 86400)::int as days
         from records.emptied_tables where table_name = 'sealed_messages'`,
      );
    for (const days of [200, 150, 50])
      await own.database.query(
        `insert into records.sealed_messages (id, kind, stream, key_id, own_key, ciphertext, received_at)
         values (gen_random_uuid(), 'request', 's', 'k1', '', '', records.now_() - $1 * interval '1 day')`,
        [days],
      );
    const deleted = (olderThanDays: number) =>
      deleteOld.sealedMessages(own.database, olderThanDays * 86_400_000);
    expect([await deleted(300), await upTo()]).toEqual([0, []]);
    expect([await deleted(180), await upTo()]).toEqual([1, [{ days: 200 }]]);
    expect([await deleted(100), await upTo()]).toEqual([1, [{ days: 150 }]]);
    expect([await deleted(100), await upTo()]).toEqual([0, [{ days: 150 }]]);
  });
});

describe('the raw rail messages of earlier releases', () => {
  it('are not all read when none is old enough to delete', async () => {
    await own.database.query(
      `insert into records.rail_messages (id, stream, digest, key_id, ciphertext)
         select gen_random_uuid(), 'collection-demo:m:' || n, '', 'k1', '' from generate_series(1, 5000) n`,
    );
    await own.database.transaction(async (transaction) => {
      expect(await deleteOld.railMessages(transaction, 60_000, 100)).toBe(0);
      const [read] = await transaction.query<{ rows: number }>(
        `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
           from pg_stat_xact_user_tables where relname = 'rail_messages'`,
      );
      expect(read?.rows).toBeLessThan(500);
    });
  });
});

describe('query attempts', () => {
  it('are each leased by one worker until it counts as gone', async () => {
    const stream = `collection-demo:m:${randomUUID()}`;
    const options = { queryDelaysMs: [], pushTimeoutMs: 0, reviewAfterMs: 0 };
    const schedule = new RecordedQuerySchedule(
      own.database,
      new RailWorkOptions(options),
      new SystemClock(),
    );
    const attempt = (n: number) => schedule.lease({ stream, attempt: n });
    expect((await Promise.all([attempt(1), attempt(1)])).sort()).toEqual([false, true]);
    expect(await attempt(2)).toBe(true);
    await schedule.conclude({ stream, attempt: 2 }, 'unresolved');
    await own.database.query(
      `update records.rail_query_attempts set attempted_at = attempted_at - interval '61 seconds'`,
    );
    expect((await Promise.all([attempt(1), attempt(1)])).sort()).toEqual([false, true]);
    expect(await attempt(2)).toBe(false);
  });
});

describe('the extra queries about a collection', () => {
  it('are leased by one worker each, at doubling gaps, and do not count if given back', async () => {
    const stream = `collection-demo:m:${randomUUID()}`;
    const queries = new RecordedExtraQueries(own.database);
    const passes = (ms: number) =>
      own.database.query(
        `update records.extra_rail_queries set asked_at = asked_at - $1 * interval '1 millisecond'`,
        [ms],
      );
    // The gaps are 5, 10 and 20 seconds. A busy machine adds some of its own to what passes here.
    for (const [ms, least, most] of [
      [0, 0, 0],
      [500, 1, 4500],
      [4500, 0, 0],
      [500, 4501, 9500],
      [9500, 0, 0],
      [20_000, 0, 0],
    ] as const) {
      await passes(ms);
      const asked = await Promise.all([queries.lease(stream), queries.lease(stream)]);
      const waitMs = Math.min(...asked);
      expect(waitMs).toBeGreaterThanOrEqual(least);
      expect(waitMs).toBeLessThanOrEqual(most);
      expect(Math.max(...asked)).toBeGreaterThan(0);
    }
    await queries.giveBack(stream);
    await passes(20_000);
    expect(await queries.lease(stream)).toBe(0);
    await own.database.query(`update records.extra_rail_queries set asked = 60`);
    expect(await queries.lease(stream)).toBeLessThanOrEqual(6 * 3_600_000);
  });
});

describe('a rail reference', () => {
  const claims = () => new RecordedClaimedReferences(own.database);
  const takenBy = (stream: string) => ({ kind: 'taken', stream, isBrought: false });
  const claimedAt = (claimed: Claimed): Date => {
    if (claimed.kind !== 'claimed') throw new Error('it was taken');
    return claimed.at;
  };
  const age = (railReference: string) =>
    own.database.query(
      `update records.confirmed_checkouts set confirmed_at = confirmed_at - interval '6 minutes'
         where checkout_id = $1`,
      [railReference],
    );

  it('is claimed by one stream per mode, which may claim it again', async () => {
    const claim = (mode: 'live' | 'demo', stream: string) =>
      claims().claim({ channel: 'mpesa', mode, railReference: 'ws_CO_1', stream });
    expect(await claim('demo', 'one')).toMatchObject({ kind: 'claimed', isNew: true });
    expect(await claim('demo', 'one')).toMatchObject({ kind: 'claimed', isNew: false });
    expect(await claim('demo', 'two')).toEqual(takenBy('one'));
    expect(await claim('live', 'two')).toMatchObject({ kind: 'claimed', isNew: true });
  });

  it('belongs to its rail: another rail may issue the same one', async () => {
    const reference = { mode: 'demo', railReference: 'same' } as const;
    const claim = (channel: string, stream: string) =>
      claims().claim({ ...reference, channel, stream });
    const first = claimedAt(await claim('mpesa', 'one'));
    const second = claimedAt(await claim('pigeon', 'two'));
    expect(await claim('crow', 'three')).toMatchObject({ kind: 'claimed', isNew: true });
    expect(await claim('pigeon', 'one')).toEqual(takenBy('two'));
    await claims().release({ ...reference, channel: 'mpesa', stream: 'two' }, second);
    await claims().release({ ...reference, channel: 'mpesa', stream: 'one' }, first);
    expect(await claim('mpesa', 'four')).toMatchObject({ kind: 'claimed', isNew: true });
    expect(await claim('pigeon', 'four')).toEqual(takenBy('two'));
  });

  it('is visible to this release if an older release claims it, and the reverse, even concurrently', async () => {
    const olderRelease = async (railReference: string, stream: string): Promise<string> => {
      const [row] = await own.database.query<{ stream: string }>(
        `insert into records.confirmed_checkouts as checkout (mode, checkout_id, stream) values ('demo', $1, $2)
           on conflict (mode, checkout_id) do update set confirmed_at = checkout.confirmed_at
           returning stream`,
        [railReference, stream],
      );
      return row?.stream ?? '';
    };
    const thisRelease = async (railReference: string, stream: string): Promise<string> => {
      const reference = { channel: 'mpesa', mode: 'demo', railReference } as const;
      const claimed = await claims().claim({ ...reference, stream });
      return claimed.kind === 'taken' ? claimed.stream : stream;
    };
    expect(await olderRelease('first', 'one')).toBe('one');
    expect(await thisRelease('first', 'two')).toBe('one');
    expect(await thisRelease('second', 'two')).toBe('two');
    expect(await olderRelease('second', 'one')).toBe('two');
    for (let round = 0; round < 300; round += 1) {
      const reference = `round-${round}`;
      const owners = await Promise.all([
        thisRelease(reference, 'one'),
        olderRelease(reference, 'two'),
        thisRelease(reference, 'three'),
        olderRelease(reference, 'four'),
      ]);
      expect(new Set(owners).size).toBe(1);
    }
  });

  it('can be given back only by the stream that owns it', async () => {
    const reference = { channel: 'mpesa', mode: 'demo', railReference: 'ws_CO_2' } as const;
    const claim = (stream: string) => claims().claim({ ...reference, stream });
    const release = (stream: string, at: Date) => claims().release({ ...reference, stream }, at);
    const at = claimedAt(await claim('one'));
    await release('two', at);
    expect(await claim('two')).toEqual(takenBy('one'));
    await release('one', at);
    expect(await claim('two')).toMatchObject({ kind: 'claimed', isNew: true });
  });

  it('stays with its stream if a later attempt, which may have posted under it, has claimed it since', async () => {
    const reference = { channel: 'mpesa', mode: 'demo', railReference: 'ws_CO_3' } as const;
    const claim = (stream: string) => claims().claim({ ...reference, stream });
    const first = claimedAt(await claim('one'));
    const second = claimedAt(await claim('one'));
    expect(second.getTime()).toBeGreaterThan(first.getTime());
    await claims().release({ ...reference, stream: 'one' }, first);
    expect(await claim('two')).toEqual(takenBy('one'));
  });

  it('counts as young after another claim by its stream, and moves to no other stream', async () => {
    const reference = { channel: 'mpesa', mode: 'demo', railReference: 'ws_CO_4' } as const;
    const claim = (stream: string) => claims().claim({ ...reference, stream });
    const takeOver = () =>
      claims().takeOver({ ...reference, stream: 'two' }, { stream: 'one', olderThanMs: 300_000 });
    await claim('one');
    await age(reference.railReference);
    await claim('one');
    expect(await takeOver()).toBe(false);
    await age(reference.railReference);
    expect(await takeOver()).toBe(true);
  });

  it('never moves to another stream, however old, once the rail’s own addresses delivered it', async () => {
    const reference = { channel: 'mpesa', mode: 'demo', railReference: 'ws_CO_5' } as const;
    const takeOver = (stream: string, from: string, isBrought = false) =>
      claims().takeOver(
        { ...reference, stream, isBrought },
        { stream: from, olderThanMs: 300_000 },
      );
    await claims().claim({ ...reference, stream: 'one' });
    // A claim for another stream leaves it as it is.
    expect(await claims().claim({ ...reference, stream: 'two', isBrought: true })).toEqual(
      takenBy('one'),
    );
    await age(reference.railReference);
    expect(await takeOver('two', 'one', true)).toBe(true);
    await claims().claim({ ...reference, stream: 'two' });
    await age(reference.railReference);
    expect(await takeOver('one', 'two')).toBe(false);
    expect(await claims().claim({ ...reference, stream: 'one' })).toEqual({
      ...takenBy('two'),
      isBrought: true,
    });
  });
});

describe('an operator’s proposal', () => {
  const ofReference = (reference: string) => ({
    id: randomUUID(),
    stream: collectionStream({ mode: 'demo', merchantId: 'm-1', reference }),
    ruling: { decision: 'paid', payment: { receipt: 'NLJ7RT61SV', amountMinor: 100n } } as const,
    reason: 'on the statement',
    proposedBy: 'grace',
  });
  const older = (hours: number) =>
    own.database.query(
      `update records.review_proposals set proposed_at = records.now_() - $1 * interval '1 hour'`,
      [hours],
    );

  it('stays open for 24 hours with its receipt, and then expires', async () => {
    const proposals = new RecordedReviewProposals(own.database);
    const [first, second] = [ofReference('EXP-1'), ofReference('EXP-2')];
    await proposals.open(first);
    await older(23);
    // The time shows if the proposer was suspended since (PEO-56).
    expect(await proposals.findOpen(first.stream)).toEqual({
      ...first,
      proposedAt: expect.stringMatching(/Z$/),
    });
    expect(await proposals.open(second)).toEqual({ ok: false, refusal: 'receipt_proposed' });
    await older(25);
    // The proposal is over before its end is recorded.
    expect(await findOpenProposals(own.database, 10)).toEqual([]);
    expect(await findReviewProposals(own.database, first.stream)).toMatchObject([
      { endedAt: expect.any(Date), outcome: 'expired' },
    ]);
    expect(await proposals.findOpenByReceipt('demo', 'NLJ7RT61SV')).toBeUndefined();
    expect(await proposals.findOpen(first.stream)).toBeUndefined();
    expect(await proposals.open(second)).toEqual({ ok: true, value: undefined });
    const [ended] = await findReviewProposals(own.database, first.stream);
    expect(ended).toMatchObject({ id: first.id, outcome: 'expired' });
    expect((ended?.endedAt?.getTime() ?? 0) - (ended?.proposedAt.getTime() ?? 0)).toBe(86_400_000);
  });
});

describe('a pending form', () => {
  it('is kept under the next master key when its own is retired', async () => {
    const newKey = (id: string): MasterKey => ({ id, bytes: randomBytes(32) });
    const [before, next] = [newKey('k1'), newKey('k2')];
    const formsUnder = (...keys: MasterKey[]) => new PendingForms(own.database, Keyring.from(keys));
    const [key, digest] = [
      { idHash: randomBytes(32), sessionHash: randomBytes(32) },
      randomBytes(32),
    ];
    const form = {
      ...({ action: 'reviews.decide', target: '/portal/x', digest, mediaType: undefined } as const),
      bytes: Buffer.from('a=1'),
      description: { title: 't', rows: [] },
    };
    await formsUnder(before).hold(key, form, 60_000);
    const table = sealedRecordTables.find(({ table: of }) => of === 'portal_held_forms');
    if (!table) throw new Error('the table is sealed');
    const ring = Keyring.from([next, before]);
    expect(await rewrapTable(own.database, ring, { table })).toMatchObject({
      rewrapped: 1,
      unopenable: [],
    });
    expect((await formsUnder(next).find(key))?.form).toEqual(form);
  });
});

describe('the secret of a merchant’s webhooks', () => {
  const keyring = Keyring.from([{ id: 'k1', bytes: Buffer.alloc(32, 1) }]);
  const secrets = () => new RecordedWebhookSecrets(own.database, keyring);
  const signing = async (of: WebhookEndpointKey): Promise<readonly string[]> => {
    const keys = await new EndpointSecrets(own.database, keyring).of(of);
    return keys.map((key) => key.export().toString());
  };
  const aDayLater = (): Promise<unknown> =>
    own.database.query(
      `update records.webhook_secrets set ends_at = ends_at - interval '25 h' where ends_at is not null`,
    );
  const make = async (of: WebhookEndpointKey): Promise<readonly [string, string]> => {
    const id = randomUUID();
    const known = await signing(of);
    await secrets().make(of, id);
    const made = (await signing(of)).find((secret) => !known.includes(secret));
    return [id, made ?? ''];
  };

  it('is shown once, to the first command that settles it, even a day after its own command broke off', async () => {
    const of = { merchantId: 'm-broke-off', mode: 'demo', kind: 'v4' } as const;
    const [id, made] = await make(of);
    await own.database.query(
      `update records.webhook_secrets set ends_at = ends_at - interval '25 h' where secret_id = $1`,
      [id],
    );
    expect(await signing(of)).toEqual([]);
    const shown = await Promise.all([3n, 4n, 5n].map((at) => secrets().settleFirst(of, id, at)));
    expect(shown.filter((secret) => secret !== undefined)).toEqual([made]);
    for (const settle of ['settle', 'settleFirst'] as const)
      expect(await secrets()[settle](of, id, 6n)).toBeUndefined();
    expect(await signing(of)).toEqual([made]);
    // If a rotation breaks off, its secret does not replace the one that the merchant knows.
    const [next, rotated] = await make(of);
    expect(await secrets().settleFirst(of, next, 7n)).toBeUndefined();
    expect(await signing(of)).toEqual([made, rotated]);
    expect(await secrets().settle(of, next, 7n)).toBe(rotated);
    for (const gone of [id, randomUUID()])
      expect(await secrets().settleFirst(of, gone, 8n)).toBeUndefined();
    await aDayLater();
    expect(await signing(of)).toEqual([rotated]);
  });

  it('is not shown again if it was stored before revisions were recorded', async () => {
    const of = { merchantId: 'm-older', mode: 'demo', kind: 'v4' } as const;
    const [id, known] = await make(of);
    await own.database.query(
      `update records.webhook_secrets set ends_at = null where secret_id = $1`,
      [id],
    );
    expect(await secrets().settleFirst(of, id, 5n)).toBeUndefined();
    expect(await signing(of)).toEqual([known]);
  });

  it('is not replaced by one whose event was never recorded', async () => {
    const of = { merchantId: 'm-failed', mode: 'demo', kind: 'v4' } as const;
    const [id, known] = await make(of);
    await secrets().settle(of, id, 1n);
    const [, unknown] = await make(of);
    expect(await signing(of)).toEqual([known, unknown]);
    await aDayLater();
    expect(await signing(of)).toEqual([known]);
  });

  it('is replaced by a new one, even if the log was restored to a point before the records', async () => {
    const of = { merchantId: 'm-restored', mode: 'demo', kind: 'v4' } as const;
    const [lost, known] = await make(of);
    await secrets().settle(of, lost, 10n);
    await own.database.query(
      `update records.webhook_secrets set created_at = created_at - interval '10 min' where secret_id = $1`,
      [lost],
    );
    const [id, told] = await make(of);
    await secrets().settle(of, id, 8n);
    expect(await signing(of)).toEqual([told, known]);
    await aDayLater();
    expect(await signing(of)).toEqual([told]);
  });

  it('is the one with the latest event, in any order of settlement', async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const of = { merchantId: `m-${order.join('')}`, mode: 'demo', kind: 'v4' } as const;
      const made = [await make(of), await make(of)];
      for (const at of order) await secrets().settle(of, made[at]?.[0] ?? '', BigInt(at + 1));
      expect((await signing(of)).toSorted()).toEqual(made.map(([, secret]) => secret).toSorted());
      await aDayLater();
      expect(await signing(of)).toEqual([made[1]?.[1]]);
    }
    const of = { merchantId: 'm-race', mode: 'demo', kind: 'v4' } as const;
    const made: (readonly [string, string])[] = [];
    while (made.length < 8) made.push(await make(of));
    await Promise.all(made.map(([id], at) => secrets().settle(of, id, BigInt(at))));
    await aDayLater();
    expect(await signing(of)).toEqual([made.at(-1)?.[1]]);
  });
});

describe('a secret of the service', () => {
  it('is the first one stored, for all processes that start together', async () => {
    const kept = await Promise.all(
      ['a', 'b', 'c'].map((text) =>
        keepSecret(own.database, 'phone-hmac', {
          keyId: 'k1',
          ciphertext: Buffer.from(text),
        }),
      ),
    );
    expect(new Set(kept.map(({ ciphertext }) => ciphertext.toString())).size).toBe(1);
    expect(await findSecret(own.database, 'phone-hmac')).toEqual(kept[0]);
    expect(await findSecret(own.database, 'another')).toBeUndefined();
  });
});
