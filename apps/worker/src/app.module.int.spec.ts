import { HistoryChanged, SealKeySigner } from '#adapters/audit';
import { DataKeys } from '#records/keys';
import { ConfirmCollection, FindCollection } from '#domain/collections';
import { refuse } from '#domain/kernel';
import { EventStoreDb } from '#infra/eventstoredb';
import { deleteExpired } from '#records/operations';
import { Database } from '#infra/postgres';
import { InboxStep, PaymentListRails, QueryStep, Rails, TimeoutStep } from '#edges/rails';
import { RedisStore } from '#infra/redis';
import { Metrics, processContext, UuidIds } from '#infra/runtime';
import {
  CopiedLog,
  HandMadeLog,
  handlersOfDispatched,
  readEverySample,
  register,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { type INestApplicationContext, Logger } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { alertsFiredBy } from '../../../test/servers/alerts.js';
import { AppModule } from './app.module.js';
import { DailySeal, PlatformDays, SealParts, SealServers } from './daily-seal.js';
import { loopsOf } from './loops.js';
import { PayoutNumberSweep } from './payout-numbers.js';
import { watchWaiting } from '#adapters/wiring';
import { WebhookUpkeep } from './webhook-upkeep.js';

const dayMs = 86_400_000;
const kept = { evidenceMs: 100 * dayMs, reviewAfterMs: 2 * dayMs };
/** The count of a day's V3 use, for each of its tables. */
const countOf = (merchant: string, daysAgo: number): string =>
  `jsonb_build_object('day', (records.now_() at time zone 'UTC')::date - ${daysAgo}, 'merchant_id', '${merchant}',
     'route', 'collect', 'calls', 1, 'links', 1, 'movable', 0, 'collections', 1)`;
let throwAway: ThrowAwayDatabase;
let app: INestApplicationContext;

beforeAll(async () => {
  throwAway = await throwAwayDatabase();
  const context = processContext('worker', {
    ...process.env,
    DATABASE_URL: throwAway.url,
    LOG_LEVEL: 'fatal',
  });
  app = await NestFactory.createApplicationContext(AppModule.with(context), {
    logger: false,
    abortOnError: false,
  });
});
afterAll(async () => {
  await app.get(DataKeys).close();
  await app.get(Rails).close();
  await app.get(EventStoreDb).dispose();
  await app.get(RedisStore).close();
  await app.get(Database).close();
  await throwAway.drop();
});

/** The alerts that fire on what waits for the worker and for these rails. */
async function waitingAlerts(
  rails: ReturnType<PaymentListRails['all']> = [],
): Promise<readonly string[]> {
  const metrics = new Metrics();
  watchWaiting(app.get(Database), metrics, { all: () => rails });
  return alertsFiredBy(await metrics.registry.metrics());
}

/** A merchant's two endpoints, of which the live one fails. */
async function setEndpoints(): Promise<void> {
  await app.get(Database).query(
    `with merchant as (
         insert into merchants (merchant_id, name, timezone, country) values ('w', 'w', 'Africa/Nairobi', 'KE')
           on conflict do nothing),
       endpoints as (
         insert into webhook_endpoints (merchant_id, mode, kind, from_position, url, enabled, standard_headers)
           select 'w', mode, 'v4', 1, 'https://hooks.example/secret', true, false from unnest(array['demo', 'live']) mode)
     insert into records.webhook_circuits
         (merchant_id, mode, kind, callback_host, failures, failing_since, closed_until)
       values ('w', 'live', 'v4', '', 3, records.now_(), records.now_() + interval '1 m')`,
  );
}

async function forgetWebhooks(): Promise<void> {
  for (const table of [
    'records.webhook_deliveries',
    'records.webhook_circuits',
    'webhook_endpoints',
  ])
    await app.get(Database).query(`delete from ${table}`);
}

describe('the worker', () => {
  it('knows a handler for all that its steps send', async () => {
    const key = { mode: 'demo', merchantId: 'm1', reference: 'nothing' } as const;
    const word = { by: 'query', railReference: 'x', verdict: { kind: 'unresolved' } } as const;
    const metadata = { correlationId: 'c1', actor: { kind: 'system', id: 'test' } } as const;
    const confirmed = app.get(CommandBus).execute(new ConfirmCollection(key, word, metadata));
    expect(await confirmed).toEqual({ ok: false, refusal: 'unknown_collection' });
    expect((await app.get(QueryBus).execute(new FindCollection(key))).events).toEqual([]);
  });

  it('has one handler for each command and query that its steps send', () => {
    const handlers = handlersOfDispatched(app, 'apps/worker/src');
    expect(handlers).toHaveProperty('CompleteCorrection');
    expect(new Set(Object.values(handlers))).toEqual(new Set([1]));
  });

  it('reads a log that contains every event of every release', async () => {
    const { written, read } = await readEverySample(app.get(EventStoreDb));
    expect(read).toEqual(written);
  });

  it('is idle if there is nothing to do, on views that it made itself', async () => {
    expect(await app.get(InboxStep).step()).toBe('idle');
    expect(await app.get(QueryStep).step()).toBe('idle');
    expect(await app.get(TimeoutStep).step()).toBe('idle');
  });

  it('has a loop for each mode that waits for a rail, and the manual lists every loop', () => {
    const context = processContext('worker', { ...process.env, DATABASE_URL: throwAway.url });
    const names = loopsOf(app, context).map(({ name }) => name);
    const ofModes = names.flatMap((name) => /^(.+)-live$/.exec(name)?.[1] ?? []);
    expect(ofModes.toSorted()).toEqual([
      ...['callback-inbox', 'payout-queries', 'payouts', 'rail-balance', 'rail-float'],
      ...['rail-last-hour', 'rail-queries', 'rail-silence', 'rail-takings'],
    ]);
    expect(names).toEqual(expect.arrayContaining(ofModes.map((name) => `${name}-demo`)));
    const page = readFileSync('docs/how-to/watch-the-worker.md', 'utf8');
    const told = names.map((name) => name.replace(/-(live|demo)$/, '-<mode>'));
    expect(told.filter((name) => !page.includes(`| \`${name}\``))).toEqual([]);
  });

  it('has longer bounds only for loops whose steps may take minutes, as the manual lists them (OPS-64)', () => {
    const context = processContext('worker', { ...process.env, DATABASE_URL: throwAway.url });
    const bounds = loopsOf(app, context).flatMap(({ name, stalledAfterMs }) =>
      stalledAfterMs === undefined ? [] : [[name, stalledAfterMs / 60_000]],
    );
    expect(Object.fromEntries(bounds)).toEqual({
      'rail-silence-live': 15,
      'rail-silence-demo': 15,
      housekeeping: 15,
      'rail-takings-live': 60,
      'rail-takings-demo': 60,
      'rail-last-hour-live': 60,
      'rail-last-hour-demo': 60,
      'unfinished-batches': 60,
      'daily-seal': 240,
    });
  });

  it('shows what waits for it and for the rail', async () => {
    const database = app.get(Database);
    await database.query(
      `insert into rail_queries (stream, mode, rail_reference, intent_at)
         values ('a', 'demo', 'ws_CO_1', records.now_() - interval '9 s'), ('b', 'demo', null, records.now_())`,
    );
    await database.query(
      `insert into open_payouts (stream, mode, channel, step, since, position)
         values ('p', 'demo', 'mpesa', 'started', records.now_() - interval '9 s', 1),
           ('q', 'demo', 'mpesa', 'declined', records.now_() - interval '90 s', 2),
           ('r', 'demo', 'mpesa', 'approved', records.now_() - interval '90 s', 3),
           ('s', 'demo', 'mpesa', 'approved', records.now_() - interval '70 s', 4)`,
    );
    await database.query(
      `insert into transactions (position, stream, merchant_id, mode, type, reference, currency, id, account_no, channel,
           requested_minor, created_at, created_on, status, amount_minor, fee_minor, under_review, waiting_since)
         select position, stream, 'm', mode, 'payout', stream, 'KES', gen_random_uuid(), '1', channel, 1, records.now_(),
           current_date, 'pending', 1, 0, false, case stream when 'r' then records.now_() end
           from open_payouts where step = 'approved'`,
    );
    const metrics = new Metrics();
    watchWaiting(database, metrics, app.get(PaymentListRails));
    const text = await metrics.registry.metrics();
    for (const table of ['rail_queries', 'open_payouts', 'transactions'])
      await database.query(`delete from ${table}`);
    expect(text).toMatch(/^pesapost_payouts_waiting_for_rail 1$/m);
    expect(text).toMatch(/^pesapost_payouts_waiting_oldest_seconds 9/m);
    expect(text).toMatch(/^pesapost_payouts_waiting_for_float 1$/m);
    expect(text).toMatch(/^pesapost_payouts_unsent_seconds 7\d/m);
    expect(text).toMatch(/^pesapost_rail_waiting_collections 2$/m);
    expect(text).toMatch(/^pesapost_rail_waiting_unanswered_collections 1$/m);
    expect(text).toMatch(/^pesapost_rail_waiting_oldest_seconds 9/m);
    expect(text).toMatch(/^pesapost_callback_inbox_entries 0$/m);
  });

  it.each([
    ['float', [], 'PayoutsWaitForFloat'],
    ['unsent', ['29 min', '31 min'], 'PayoutsUnsent'],
    ['sent', ['359 min', '361 min'], 'PayoutsWithoutResult'],
    ['paused', ['59 min', '61 min'], 'PayoutsPaused'],
  ])('raises an alert for payouts that wait too long: %s', async (which, [well, late], alert) => {
    const database = app.get(Database);
    const raised = async (age = '1 min'): Promise<readonly string[]> => {
      const step = which === 'sent' ? 'started' : 'approved';
      await database.query(
        `with pause as (insert into payout_pauses (merchant_id, mode, since)
             select '', 'demo', records.now_() - $1::interval where $2 = 'paused')
         insert into open_payouts (stream, mode, channel, step, since, position)
           values ('p', 'demo', 'mpesa', $3, records.now_() - $1::interval, 1)`,
        [age, which, step],
      );
      await database.query(
        `insert into transactions (position, stream, merchant_id, mode, type, reference, currency, id, account_no,
             channel, requested_minor, created_at, created_on, status, amount_minor, fee_minor, under_review, waiting_since)
           values (1, 'p', 'm', 'demo', 'payout', 'p', 'KES', gen_random_uuid(), '1', 'mpesa', 1, records.now_(),
             current_date, 'pending', 1, 0, false, case when $1 = 'float' then records.now_() end)`,
        [which],
      );
      const fired = await waitingAlerts();
      for (const table of ['open_payouts', 'transactions', 'payout_pauses'])
        await database.query(`delete from ${table}`);
      return fired;
    };
    if (well !== undefined) expect(await raised(well)).toEqual([]);
    expect(await raised(late)).toEqual([alert]);
  });

  it('raises an alert if the log lacks an event that it had before, and seals nothing', async () => {
    const [log, made, metrics] = [new CopiedLog(), new HandMadeLog(Date.now()), new Metrics()];
    register(made, 'm-1');
    for (const event of made.events) log.add(event);
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const step = () =>
      new DailySeal(
        new SealServers(app.get(Database), log as unknown as EventStoreDb),
        app.get(CommandBus),
        SealKeySigner.from(pem),
        new SealParts(new UuidIds(), metrics, new PlatformDays('Africa/Nairobi')),
      ).step(new AbortController().signal);
    await step();
    const before = await metrics.registry.metrics();
    expect(await alertsFiredBy(before)).toEqual([]);
    log.records = log.records.slice(0, -1);
    await expect(step()).rejects.toThrow(HistoryChanged);
    const after = await metrics.registry.metrics();
    expect(await alertsFiredBy(after, before)).toEqual(['HistoryChanged']);
  });

  it('raises an alert for money that only the rail’s own report shows, until the ledger has it', async () => {
    const database = app.get(Database);
    const report = (receipt: string, trusted: boolean) =>
      database.query(
        `insert into records.callback_inbox (id, stream, purpose, key_id, ciphertext, source_address, trusted, outcome, told, told_receipt, applied_at)
           values (gen_random_uuid(), 'c2b-live:mpesa:' || $1, 'notice', 'k', '', '::1', $2, 'left_for_review: other_short_code', true, $1, records.now_())`,
        [receipt, trusted],
      );
    await database.query('update checkpoint set fresh_at = records.now_()');
    await report('FOREIGN001', false);
    expect(await waitingAlerts()).toEqual([]);
    await report('RAILSOWN01', true);
    expect(await waitingAlerts()).toEqual(['UnpostedReports']);
    await database.query(
      `insert into corrections (stream, id, merchant_id, mode, currency, legs, why, receipt, may_overdraw, proposed_by, proposed_at, position, confirmed_by, posted_at)
         values ('correction-live:9', '9', 'm-1', 'live', 'KES', '{}', 'w', 'RAILSOWN01', false, 'a', now(), 9, 'b', now())`,
    );
    expect(await waitingAlerts()).toEqual([]);
    await database.query('delete from corrections');
    await database.query('delete from records.callback_inbox');
    await database.query('update checkpoint set fresh_at = null');
  });

  it('raises an alert for callbacks under a master key that no worker has, and not for made-up keys', async () => {
    const database = app.get(Database);
    const receive = (fromRail: boolean) =>
      database.query(
        `insert into records.unopened_callbacks (id, token_key_id, key_id, ciphertext, source_address, from_rail)
           values (gen_random_uuid(), 'k-unknown', 'k', '', '::1', $1)`,
        [fromRail],
      );
    await receive(false);
    expect(await waitingAlerts()).toEqual([]);
    await receive(true);
    expect(await waitingAlerts()).toEqual(['CallbacksUnopened']);
    await database.query('delete from records.unopened_callbacks');
  });

  it('raises an alert for callbacks that wait for more than five minutes', async () => {
    const database = app.get(Database);
    const raised = async (age: string): Promise<readonly string[]> => {
      await database.query(
        `insert into records.callback_inbox (id, stream, key_id, ciphertext, source_address, trusted, received_at)
           values (gen_random_uuid(), 's', 'k', '', '::1', true, records.now_() - $1::interval)`,
        [age],
      );
      const fired = await waitingAlerts();
      await database.query('delete from records.callback_inbox');
      return fired;
    };
    expect(await raised('4 min')).toEqual([]);
    expect(await raised('6 min')).toEqual(['CallbacksWait']);
  });

  it('reports missed money and rails that are no longer asked, and an alert names each', async () => {
    const database = app.get(Database);
    const mpesa = { channel: 'mpesa', mode: 'demo', lookBackMs: 1, timezone: 'UTC' } as const;
    const raised = (rails = [mpesa]) => waitingAlerts(rails);
    const told = (outcome: string, hoursAgo: number) =>
      database.query(
        `insert into records.taken_days (channel, mode, day, from_at, until_at, finished_at, outcome)
           select 'mpesa', 'demo', at::date, at - interval '1 day', at, at, $1
             from (select records.now_() - $2 * interval '1 hour' as at) days`,
        [outcome, hoursAgo],
      );
    expect(await raised()).toEqual([]);
    await told('asked', 60);
    await told('missed', 10);
    expect(await raised()).toEqual(['RailNotAsked']);
    expect(await raised([])).toEqual([]);
    await told('asked', 35);
    expect(await raised()).toEqual([]);

    const built = (at: string) => database.query(`update checkpoint set fresh_at = ${at}`);
    await built('records.now_()');
    const reviewed = (isOpen: boolean) =>
      database.query('update transactions set under_review = $1', [isOpen]);
    await database.query(
      `with payment as (
           insert into records.unmatched_payments (channel, mode, receipt, day, amount_minor, paid_at, stream, why)
             values ('mpesa', 'demo', 'MISSED0001', '2026-11-20', 1, records.now_(), 'c', 'not_settled'))
       insert into transactions (position, stream, merchant_id, mode, type, reference, currency, id, account_no, channel,
           requested_minor, created_at, created_on, status, amount_minor, fee_minor, under_review)
         values (4, 'c', 'm', 'demo', 'collection', 'c', 'KES', gen_random_uuid(), '1', 'mpesa', 1, records.now_(),
           current_date, 'failed', 1, 0, true)`,
    );
    expect(await raised()).toEqual(['MissedMoney']);
    // Views that are being built show no money, and no money counts as missing for that reason.
    await built('null');
    expect(await raised()).toEqual([]);
    await built('records.now_()');
    await reviewed(false);
    expect(await raised()).toEqual([]);
    await database.query(
      `update records.unmatched_payments set why = 'nobody_asked', stream = null`,
    );
    expect(await raised()).toEqual(['MissedMoney']);
    for (const table of ['records.taken_days', 'records.unmatched_payments', 'transactions'])
      await database.query(`delete from ${table}`);
  });

  it('shows waiting webhooks, and names failing endpoints once a day, by their host alone', async () => {
    const database = app.get(Database);
    await setEndpoints();
    await database.query(
      `insert into records.webhook_deliveries
           (webhook_id, kind, merchant_id, mode, sequence, type, owed_at, next_attempt_at, turn)
         select gen_random_uuid(), 'v4', 'w', mode, 1, 'payout.failed', records.now_() - interval '90 s',
             records.now_() - interval '9 s', case mode when 'demo' then 2 else 1 end
           from unnest(array['demo', 'live']) as mode`,
    );
    const metrics = new Metrics();
    watchWaiting(database, metrics, app.get(PaymentListRails));
    const text = await metrics.registry.metrics();
    expect(text).toMatch(/^pesapost_webhooks_waiting 2$/m);
    expect(text).toMatch(/^pesapost_webhooks_waiting_oldest_seconds 9\d/m);
    expect(text).toMatch(/^pesapost_webhooks_overdue_seconds (9|1\d)\b/m);
    expect(text).toMatch(/^pesapost_webhook_endpoints_failing 1$/m);
    // These are live webhooks, whose circuit is open.
    expect(text).toMatch(/^pesapost_webhooks_unattempted_seconds 9\d/m);
    expect(await alertsFiredBy(text)).toEqual(['WebhookEndpointsFailing']);
    await database.query(
      `update records.webhook_deliveries set owed_at = records.now_() - interval '61 min',
         next_attempt_at = records.now_() - interval '301 s'`,
    );
    const later = new Metrics();
    watchWaiting(database, later, app.get(PaymentListRails));
    expect(await alertsFiredBy(await later.registry.metrics())).toEqual([
      ...['WebhooksOverdue', 'WebhooksUnattempted', 'WebhookEndpointsFailing'],
    ]);

    const lines: unknown[] = [];
    const note = (line: unknown): number => lines.push(line);
    Logger.overrideLogger({ log: note, warn: note, error: note });
    for (let step = 0; step < 2; step += 1) await app.get(WebhookUpkeep).step();
    Logger.overrideLogger(false);
    expect(lines).toMatchObject([{ merchantId: 'w', mode: 'live', host: 'hooks.example' }]);
    expect(JSON.stringify(lines)).not.toContain('secret');
    await forgetWebhooks();
  });

  it('sees an overdue webhook behind 10,000 older ones of an endpoint that fails', async () => {
    const database = app.get(Database);
    await setEndpoints();
    await database.query(
      `insert into records.webhook_deliveries
           (webhook_id, kind, merchant_id, mode, sequence, type, owed_at, next_attempt_at, turn)
         select gen_random_uuid(), 'v4', 'w', case n when 0 then 'demo' else 'live' end, n, 'payout.failed',
             records.now_() - case n when 0 then interval '10 min' else interval '50 min' end,
             records.now_() - interval '301 s', 2
           from generate_series(0, 10001) as n`,
    );
    const metrics = new Metrics();
    watchWaiting(database, metrics, app.get(PaymentListRails));
    const text = await metrics.registry.metrics();
    expect(text).toMatch(/^pesapost_webhooks_waiting 10000$/m);
    expect(await alertsFiredBy(text)).toEqual(['WebhooksOverdue', 'WebhookEndpointsFailing']);
    await forgetWebhooks();
  });

  it('forgets applied callbacks after 90 days, but none that waits', async () => {
    const database = app.get(Database);
    await database.query(
      `insert into records.callback_inbox
           (id, stream, key_id, ciphertext, source_address, trusted, received_at, applied_at)
         select gen_random_uuid(), s, 'k1', '', '::1', true, records.now_() - age, applied
           from (values ('old', interval '91 days', now()), ('young', interval '89 days', now()),
                        ('waiting', interval '91 days', null)) as rows (s, age, applied)`,
    );
    expect(await deleteExpired(database, kept)).toBe('busy');
    expect(await deleteExpired(database, kept)).toBe('idle');
    const left = await database.query('select stream from records.callback_inbox order by stream');
    expect(left).toEqual([{ stream: 'waiting' }, { stream: 'young' }]);
  });

  it('forgets late messages for an erased stream once they are applied', async () => {
    const database = app.get(Database);
    await database.query(
      `with erased as (insert into records.erased_streams (stream) values ('late-erased'), ('late-waiting'))
       insert into records.callback_inbox
           (id, stream, key_id, ciphertext, source_address, trusted, applied_at)
         select gen_random_uuid(), s, 'k1', '', '::1', true, applied
           from (values ('late-erased', now()), ('late-kept', now()), ('late-waiting', null)) as rows (s, applied)`,
    );
    expect(await deleteExpired(database, kept)).toBe('busy');
    const left = await database.query(
      `select stream from records.callback_inbox where stream like 'late-%' order by stream`,
    );
    expect(left).toEqual([{ stream: 'late-kept' }, { stream: 'late-waiting' }]);
    await database.query(`delete from records.callback_inbox where stream like 'late-%'`);
    await database.query('delete from records.erased_streams');
  });

  it.each([
    [
      'questions to the rail that nobody counts any more',
      'rail_query_attempts',
      'stream',
      `insert into records.rail_query_attempts (stream, attempt, attempted_at, outcome)
         values ('old', 1, records.now_() - interval '93 days', 'paid'),
                ('young', 1, records.now_() - interval '91 days', 'paid')`,
    ],
    [
      'extra questions that no callback calls for any more',
      'extra_rail_queries',
      'stream',
      `insert into records.extra_rail_queries (stream, asked, asked_at)
         values ('old', 1, records.now_() - interval '91 days'), ('young', 1, records.now_() - interval '89 days')`,
    ],
    [
      'claims of checkout ids as old as the evidence',
      'confirmed_checkouts',
      'checkout_id',
      `insert into records.confirmed_checkouts (mode, checkout_id, stream, confirmed_at)
         values ('demo', 'old', 's', records.now_() - interval '101 days'),
                ('demo', 'young', 's', records.now_() - interval '99 days')`,
    ],
    [
      'the rail’s own bytes after EVIDENCE_RETENTION',
      'rail_messages',
      'stream',
      `insert into records.rail_messages (id, stream, digest, key_id, ciphertext, received_at)
         values (gen_random_uuid(), 'old', '', 'k1', '', records.now_() - interval '101 days'),
                (gen_random_uuid(), 'young', '', 'k1', '', records.now_() - interval '99 days')`,
    ],
    [
      'messages of merchants and the rail after EVIDENCE_RETENTION',
      'sealed_messages',
      'stream',
      `insert into records.sealed_messages (id, kind, stream, key_id, ciphertext, received_at)
         values (gen_random_uuid(), 'request', 'old', 'd.1', '', records.now_() - interval '101 days'),
                (gen_random_uuid(), 'request', 'young', 'd.1', '', records.now_() - interval '99 days')`,
    ],
    [
      'deliveries of webhooks that ended',
      'webhook_deliveries',
      'merchant_id',
      `insert into records.webhook_deliveries
           (webhook_id, kind, merchant_id, mode, sequence, type, owed_at, next_attempt_at, ended_at)
         select gen_random_uuid(), 'v4', name, 'demo', 1, 'collection.completed',
                records.now_() - interval '92 days', null, records.now_() - days * interval '1 day'
           from (values ('old', 91), ('young', 89)) as rows (name, days)`,
    ],
    [
      'attempts to deliver them',
      'webhook_attempts',
      'outcome',
      `insert into records.webhook_attempts (webhook_id, kind, attempt, started_at, duration_ms, outcome)
         select gen_random_uuid(), 'v4', 1, records.now_() - days * interval '1 day', 0, name
           from (values ('old', 91), ('young', 89)) as rows (name, days)`,
    ],
    [
      'secrets of webhooks that sign no more',
      'webhook_secrets',
      'merchant_id',
      `insert into records.webhook_secrets (secret_id, merchant_id, mode, kind, key_id, ciphertext, ends_at)
         select gen_random_uuid(), name, 'demo', 'v4', 'k1', '', ends_at from (values
           ('old', records.now_() - interval '1 s'), ('young', records.now_() + interval '1 h')) as rows (name, ends_at)`,
    ],
    [
      'sessions that ended',
      'portal_sessions',
      'name',
      `insert into records.portal_sessions
           (id_hash, issuer, subject, name, authenticated_at, idle_ends_at, ends_at)
         select name::bytea, 'i', 's', name, records.now_(), idle_ends_at, records.now_() + interval '1 h' from (values
           ('old', records.now_() - interval '1 s'), ('young', records.now_() + interval '1 min')) as rows (name, idle_ends_at)`,
    ],
    [
      'refresh tokens of sessions that ended',
      'session_renewals',
      'key_id',
      `with session as (
         insert into records.portal_sessions
             (id_hash, issuer, subject, name, authenticated_at, idle_ends_at, ends_at)
           select '\\x01', 'i', 's', 'young', records.now_(), records.now_() + interval '1 h', records.now_() + interval '1 h')
       insert into records.session_renewals (id_hash, key_id, ciphertext)
         values ('\\x01', 'young', ''), ('\\x02', 'old', '')`,
    ],
    [
      'forms that nobody confirmed in time',
      'portal_held_forms',
      'action',
      `insert into records.portal_held_forms (id_hash, session_hash, action, digest, key_id, ciphertext, ends_at)
         select name::bytea, '', name, '', 'k1', '', ends_at from (values
           ('old', records.now_() - interval '1 s'), ('young', records.now_() + interval '1 min')) as rows (name, ends_at)`,
    ],
    [
      'refused calls that are a week old',
      'refused_requests',
      'code',
      `insert into records.refused_requests (credential_id, request_id, method, route, status, code, refused_at)
         select 'c', 'r', 'GET', '/api/v4/transactions', 401, name, records.now_() - days * interval '1 day'
           from (values ('old', 8), ('young', 6)) as rows (name, days)`,
    ],
    [
      'hours of webhooks that no page shows',
      'webhook_hours',
      'kind',
      `insert into records.webhook_hours (merchant_id, mode, kind, hour, delivered, failed)
         select 'm', 'demo', name, records.now_() - hours * interval '1 hour', 1, 0
           from (values ('old', 50), ('young', 40)) as rows (name, hours)`,
    ],
    [
      'calls that are a week old',
      'api_calls',
      'request_id',
      `insert into records.api_calls (credential_id, request_id, method, route, status, called_at)
         select 'c', name, 'GET', '/api/v4/transactions', 200, records.now_() - days * interval '1 day'
           from (values ('old', 8), ('young', 6)) as rows (name, days)`,
    ],
    ...['v3_calls', 'v3_checkout_links', 'v3_phone_references'].map(
      (table) =>
        [
          'counts of V3’s use that no report shows',
          table,
          'merchant_id',
          `insert into records.${table}
             select * from jsonb_populate_recordset(null::records.${table}, jsonb_build_array(
               ${countOf('old', 402)}, ${countOf('young', 399)}))`,
        ] as const,
    ),
  ])('forgets %s (%s), and none that is younger', async (_, table, column, insert) => {
    const database = app.get(Database);
    await database.query(insert);
    expect(await deleteExpired(database, kept)).toBe('busy');
    expect(await deleteExpired(database, kept)).toBe('idle');
    const left = await database.query(`select ${column} as name from records.${table}`);
    expect(left).toEqual([{ name: 'young' }]);
  });

  it('forgets the old sums of merchants’ days, but no day that may still be given back to', async () => {
    const database = app.get(Database);
    await database.query(
      `with days as (select name, (records.now_() at time zone 'UTC')::date - age as day
           from (values ('old', 36), ('young', 34)) as v (name, age)),
         sums as (insert into records.payout_days (kind, merchant_id, mode, day, total_minor)
           select 'asked', name, 'demo', day, 1 from days)
       insert into records.payout_allowances (stream, kind, amount_minor, merchant_id, mode, day)
         select name, 'asked', 1, name, 'demo', day from days`,
    );
    expect(await deleteExpired(database, kept)).toBe('busy');
    expect(await deleteExpired(database, kept)).toBe('idle');
    for (const table of ['payout_days', 'payout_allowances'])
      expect(await database.query(`select merchant_id as name from records.${table}`)).toEqual([
        { name: 'young' },
      ]);
  });

  it('forgets numbers of payouts that ended or were never recorded, and no others', async () => {
    const database = app.get(Database);
    const stream = (name: string) => `payout-demo:nobody:${name}-${throwAway.url.length}`;
    await database.query(
      `insert into transactions (position, stream, merchant_id, mode, type, reference, currency, id,
           account_no, channel, requested_minor, created_at, created_on, status, amount_minor,
           fee_minor, under_review, phone_hmac)
         select at, stream, 'nobody', 'demo', 'payout', stream, 'KES', gen_random_uuid(), '1', 'mpesa',
           1, now(), now()::date, status, 1, 0, false, 'own'
         from unnest($1::text[], $2::text[]) with ordinality as rows (stream, status, at)`,
      [
        ['completed', 'failed', 'rejected', 'pending', 'asked'].map(stream),
        ['completed', 'failed', 'rejected', 'pending', 'pending_approval'],
      ],
    );
    const young = ['completed', 'failed', 'rejected', 'young'].map((of) => `${stream(of)} own`);
    const old = [
      ...['pending', 'asked', 'never'].map((of) => `${stream(of)} own`),
      `${stream('pending')} other`,
    ];
    await database.query(
      `insert into records.payout_phones (id, stream, key_id, ciphertext, kept_at)
         select id, split_part(id, ' ', 1), 'k1', '',
           records.now_() - case when id = any($1::text[]) then interval '0' else interval '25 hours' end
         from unnest($1::text[] || $2::text[]) as id`,
      [young, old],
    );
    expect(await app.get(PayoutNumberSweep).step()).toBe('idle');
    const left = await database.query('select id from records.payout_phones order by id');
    expect(left).toEqual(['asked', 'pending', 'young'].map((of) => ({ id: `${stream(of)} own` })));
    await database.query(`delete from transactions where merchant_id = 'nobody'`);
  });

  it('keeps a number that its request stored again while the log was being asked', async () => {
    const database = app.get(Database);
    await database.query(
      `with emptied as (delete from records.payout_phones)
       insert into records.payout_phones (id, stream, key_id, ciphertext, kept_at)
         values ('payout-demo:nobody:again own', 'payout-demo:nobody:again', 'k1', '',
           records.now_() - interval '25 hours')`,
    );
    const asked = jest.spyOn(app.get(CommandBus), 'execute').mockImplementationOnce(async () => {
      await database.query('update records.payout_phones set kept_at = records.now_()');
      return refuse('unknown_payout');
    });
    expect(await app.get(PayoutNumberSweep).step()).toBe('idle');
    expect(asked).toHaveBeenCalledTimes(1);
    asked.mockRestore();
    expect(await database.query('select id from records.payout_phones')).toHaveLength(1);
  });

  it('has each table of the records on the list that says how long it is kept', async () => {
    const tables = await app
      .get(Database)
      .query<{ name: string }>(
        `select table_name as name from information_schema.tables where table_schema = 'records'`,
      );
    const [, list = ''] = readFileSync('docs/how-to/watch-the-worker.md', 'utf8').split(
      '## Retention of the records',
    );
    expect(tables.map(({ name }) => name).filter((name) => !list.includes(`\`${name}\``))).toEqual(
      [],
    );
  });
});
