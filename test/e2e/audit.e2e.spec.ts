import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Database } from '#infra/postgres';
import { createLogger, packageDirectory } from '#infra/runtime';
import {
  eventually,
  type OwnServers,
  patientPool,
  pesapost,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { viewSchema } from '#views/view-set';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

type Json = Readonly<Record<string, unknown>>;

/** A log of its own: all of it is read. */
let servers: OwnServers;
let service: Service;
let database: Database;
let directory: string;
beforeAll(async () => {
  servers = await startOwnServers();
  const { privateKey } = generateKeyPairSync('ed25519');
  const AUDIT_SEAL_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  service = await startService({ ...servers.env, AUDIT_SEAL_KEY });
  const logger = createLogger({ app: 'spec', level: 'fatal' });
  const url = servers.env.DATABASE_URL;
  database = new Database({ ...patientPool, url, app: 'spec', logger, searchPath: [viewSchema()] });
  directory = await mkdtemp(join(tmpdir(), 'pesapost-audit-'));
  for (const reference of ['INV-1', 'INV-2', 'INV-3']) await collected(reference);
  await service.merchant.collect({ reference: 'INV-4', phone: '254700000010' });
  await completed('/api/v4/transactions?type=collection', 'INV-4');
});
afterAll(async () => {
  await database.close();
  await service.stop();
  await servers.stop();
  await rm(directory, { recursive: true });
});

const whose = (): string[] => [
  ...['--merchant', service.merchant.credentials.merchantId],
  ...['--mode', 'demo'],
];
/** For this command, today and tomorrow are over. */
const twoDaysLater = { CLOCK_OFFSET: '50h' };

const said: Service['runCommand'] = (words, settings) => service.runCommand(words, settings);

async function collected(reference: string): Promise<void> {
  const { status } = await service.merchant.collect({ reference });
  expect(status).toBe(202);
  await completed('/api/v4/transactions?type=collection&status=completed', reference);
}

async function completed(path: string, reference: string): Promise<void> {
  await eventually(
    () => service.merchant.get(path),
    ({ body }) => (body['data'] as Json[]).some((item) => item['reference'] === reference),
    { withinMs: 60_000, everyMs: 200 },
  );
}

async function receipt(reference: string): Promise<Json> {
  const { status, body } = await service.merchant.get(`/api/v4/collections/${reference}/receipt`);
  expect(status).toBe(200);
  return body;
}

describe('before a day is sealed', () => {
  it('a receipt says when its proof is expected, and a command reports that there is none yet', async () => {
    const { item, postings, head } = (await receipt('INV-1')) as {
      item: Json;
      postings: Json[];
      head: null;
    };
    expect(head).toBeNull();
    expect(item).toMatchObject({ reference: 'INV-1', status: 'completed' });
    expect(postings).toMatchObject([
      { proof: null, sealed_by: expect.stringMatching(/T21:05:00/) },
    ]);
    expect(postings[0]?.['links']).toMatchObject([
      { account: 'rail-clearing:mpesa' },
      { account: expect.stringMatching(/^wallet:/) },
      { account: 'fees' },
    ]);
    expect(await said(['audit', 'prove', 'INV-1', ...whose(), '--out', directory])).toMatchObject({
      code: 1,
      text: expect.stringContaining('not sealed yet'),
    });
  });

  it('an unknown item has no receipt, and one that moved no money has a receipt without postings', async () => {
    const unknown = await service.merchant.get('/api/v4/collections/NONE/receipt');
    expect([unknown.status, unknown.body['error']]).toEqual([404, 'not_found']);
    await service.merchant.collect({ reference: 'INV-5', phone: '254700000011' });
    expect(await receipt('INV-5')).toMatchObject({ postings: [], item: { status: 'failed' } });
    expect(await said(['audit', 'prove', 'INV-5', ...whose()])).toMatchObject({ code: 1 });
  });
});

describe('once it is sealed', () => {
  let sealed: Json[];
  beforeAll(async () => {
    // A head is recorded when its day is over by the store's clock, too.
    await servers.kill('eventstore');
    await servers.start('eventstore', { CLOCK_OFFSET: '75h' });
    const answer = await pesapost({ ...service.env, ...twoDaysLater }, 'audit', 'seal');
    sealed = (answer as unknown as { sealed: Json[] }).sealed;
  });

  it('every past day has a head, and nothing is sealed twice', async () => {
    expect(sealed.length).toBeGreaterThanOrEqual(2);
    expect(sealed[0]).toMatchObject({ previousTreeSize: '0', timezone: 'Africa/Nairobi' });
    expect(sealed[1]?.['previousRoot']).toBe(sealed[0]?.['root']);
    const again = await said(['audit', 'seal'], twoDaysLater);
    expect(again).toMatchObject({ code: 0, text: expect.stringContaining('nothing to seal') });
    const status = (await pesapost(service.env, 'status')) as unknown as { lines: Json[] };
    expect(status.lines).toContainEqual(expect.objectContaining({ what: 'audit', state: 'ok' }));
  });

  it('a receipt and a command prove the same, and the verifier confirms it offline', async () => {
    const { item, postings, head } = (await receipt('INV-2')) as {
      item: Json;
      postings: Json[];
      head: Json;
    };
    const proved = (await pesapost(
      service.env,
      'audit',
      'prove',
      'INV-2',
      ...whose(),
    )) as unknown as {
      postings: Json[];
      head: Json;
    };
    const { links: _links, ...posting } = postings[0] ?? {};
    expect(proved).toEqual({ postings: [posting], head });
    const out = join(directory, 'proof');
    expect(await said(['audit', 'prove', 'INV-2', ...whose(), '--out', out])).toMatchObject({
      code: 0,
    });
    const receiptFile = join(directory, 'receipt.json');
    await writeFile(receiptFile, JSON.stringify({ item, postings, head }));
    for (const file of [join(out, 'proof.json'), receiptFile]) {
      const { stdout } = await promisify(execFile)(process.execPath, [
        join(packageDirectory(), 'verifier/verify.mjs'),
        ...[file, join(out, 'head.json'), join(out, 'public.pem')],
      ]);
      expect(stdout).toContain('the proof holds');
    }
    const key = await readFile(join(out, 'public.pem'), 'utf8');
    expect((await said(['audit', 'key'])).text).toContain(key.split('\n')[1]);
  });

  it('a command proves that the newest head extends one that was kept', async () => {
    const out = join(directory, 'since');
    const prove = (...words: readonly string[]) =>
      said(['audit', 'prove', ...words, '--out', out, ...whose()]);
    const proved = await prove('INV-2', '--since', String(sealed[0]?.['date']));
    expect(proved).toMatchObject({ code: 0 });
    const files = ['proof.json', 'since.json', 'public.pem'].map((name) => join(out, name));
    expect(proved.text).toContain(`node verifier/verify.mjs ${files.join(' ')}`);
    const verify = async () =>
      promisify(execFile)(process.execPath, [
        join(packageDirectory(), 'verifier/verify.mjs'),
        ...files,
      ]);
    const { stdout } = await verify();
    expect(stdout).toMatch(/begin with the \d+ of that of/);
    expect(stdout).toContain('WalletPosted of');
    const kept = join(directory, 'kept.json');
    await writeFile(kept, await readFile(join(out, 'since.json'), 'utf8'));
    expect((await prove('--since', kept)).text).toContain(` ${kept} `);
    expect((await verify()).stdout).toContain('the proof holds');
    expect(await prove('--since', join(out, 'head.json'))).toMatchObject({
      code: 1,
      text: expect.stringContaining('nothing to prove'),
    });
    expect(await prove()).toMatchObject({ code: 1 });
  });

  it('all of history is checked, and a fault is reported', async () => {
    const out = join(directory, 'proof', 'public.pem');
    const head = join(directory, 'proof', 'head.json');
    const clean = await said(['audit', 'check', '--key', out, '--head', head]);
    expect(clean.text).toContain('no faults');
    expect(clean.code).toBe(0);
    const report = (await pesapost(service.env, 'audit', 'check')) as unknown as Json;
    expect(report).toMatchObject({ faults: 0, evidence: { sealed: 0 } });
    const { signatures, opened } = report['evidence'] as { signatures: number; opened: number };
    expect(signatures).toBeGreaterThanOrEqual(5);
    expect(opened).toBeGreaterThan(signatures);
    for (const [change, undo, named] of [
      [
        `update ledger_entries set amount_minor = amount_minor + 1 where leg = 1 and stream like '%INV-2'`,
        `update ledger_entries set amount_minor = amount_minor - 1 where leg = 1 and stream like '%INV-2'`,
        ['INV-2'],
      ],
      [
        `insert into ledger_entries
         select place, leg, event_id, stream, mode, currency, account, amount_minor, recorded_at, leaf, link
         from ledger_entries cross join (values (-5::bigint), (4000000000000000000)) as far (place)
         where leg = 1 and stream like '%INV-2'`,
        `delete from ledger_entries where position in (-5, 4000000000000000000)`,
        ['position -5', 'position 4000000000000000000'],
      ],
      [
        `update ledger_sections set credits_minor = credits_minor + 1, debits_minor = debits_minor + 1 where account = 'fees'`,
        `update ledger_sections set credits_minor = credits_minor - 1, debits_minor = debits_minor - 1 where account = 'fees'`,
        ['ledger_sections: the sums of positions'],
      ],
      [
        `insert into quarantines (merchant_id, scope, position, stream, type, event_id, recorded_at, why, applied_to)
         values ('nobody', 'demo', 1, 'merchant-nobody', 'X', gen_random_uuid(), now(), 'spec', 0)`,
        `delete from quarantines where merchant_id = 'nobody'`,
        ['incomplete: something is held back'],
      ],
      [
        `update records.sealed_messages set ciphertext = ciphertext || '\\x00' where stream like '%INV-3' and kind = 'request'`,
        `update records.sealed_messages set ciphertext = substr(ciphertext, 1, length(ciphertext) - 1) where stream like '%INV-3' and kind = 'request'`,
        ['INV-3'],
      ],
    ] as const) {
      await database.query(change);
      const found = await said(['audit', 'check']);
      expect(found.code).toBe(1);
      for (const each of named) expect(found.text).toContain(each);
      await database.query(undo);
    }
    const other = join(directory, 'other.pem');
    const { publicKey } = generateKeyPairSync('ed25519');
    await writeFile(other, publicKey.export({ type: 'spki', format: 'pem' }));
    expect(await said(['audit', 'check', '--key', other])).toMatchObject({ code: 1 });
    expect(await said(['audit', 'check', '--key', 'none.pem'])).toMatchObject({
      code: 1,
      text: expect.stringContaining('none.pem holds no public key'),
    });
    expect(await said(['audit', 'check', '--head', other])).toMatchObject({
      code: 1,
      text: expect.stringContaining('other.pem holds no head'),
    });
  });

  it('changed trees are not signed, and are rebuilt from the log', async () => {
    await database.query(
      `update records.audit_tiles set hashes = overlay(hashes placing '\\x00' from 1) where tree = 'postings'`,
    );
    const refused = await said(['audit', 'seal'], { CLOCK_OFFSET: '75h' });
    expect(refused).toMatchObject({ code: 1, text: expect.stringContaining('nothing was signed') });
    await database.query('truncate records.audit_tiles');
    await database.query(
      `update records.audit_state set position = 0, stream = null, revision = null, event_id = null, postings = 0, events = 0`,
    );
    expect(await said(['audit', 'seal'], { CLOCK_OFFSET: '75h' })).toMatchObject({ code: 0 });
    expect(await said(['audit', 'check'])).toMatchObject({ code: 0 });
  });
});
