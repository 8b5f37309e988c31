import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { AccessRequests, RecordedProposals } from '#records/people';
import { RecordedReviewProposals } from '#records/reviews';
import { collectionStream } from '#domain/collections';
import { instantFromMs } from '#domain/kernel';
import { type BreakGlass } from '#domain/people';
import { type Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { setFailureContact } from '#records/webhooks';
import { createViews } from '#views/view-set';
import { Logger } from '@nestjs/common';
import { SMTPServer } from 'smtp-server';
import { NoticeOptions, sentence } from './channels.js';
import { NoticesStep } from './notices-step.js';
import { AnnouncedAdmins, WaitingInRecords, WaitingItems } from './waiting-items.js';

const schema = 'views_notices';
let server: ThrowAwayDatabase;
let database: Database;
let chat: Server;
let mails: SMTPServer;
/** The messages received: JSON of the chat, and mails as sent. */
const told: Record<string, unknown>[] = [];
const mailed: string[] = [];
const receivers: string[][] = [];
let chatStatus = 204;

beforeAll(async () => {
  Logger.overrideLogger(false);
  server = await throwAwayDatabase();
  await createViews(server.database, schema);
  database = server.database.beside({ searchPath: [schema] });
  // Marks the views as up to date with an empty log.
  await database.query(`update checkpoint set fresh_at = records.now_() + interval '1 hour'`);
  chat = createServer((request, response) => {
    void text(request).then((body) => {
      if (chatStatus < 300) told.push(JSON.parse(body) as Record<string, unknown>);
      response.writeHead(chatStatus).end();
    });
  });
  await new Promise<void>((listening) => chat.listen(0, '127.0.0.1', listening));
  mails = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => {
      done(
        address.startsWith('gone@')
          ? Object.assign(new Error(`no mailbox ${address}`), { responseCode: 550 })
          : null,
      );
    },
    onData: (stream, { envelope }, done) => {
      void text(stream).then((mail) => {
        mailed.push(mail);
        receivers.push(envelope.rcptTo.map(({ address }) => address));
        done();
      });
    },
  });
  await new Promise<void>((listening) => mails.listen(0, '127.0.0.1', listening));
});
afterAll(async () => {
  chat.close();
  await new Promise<void>((closed) => {
    mails.close(closed);
  });
  await database.close();
  await server.drop();
  Logger.overrideLogger(true);
});

beforeEach(async () => {
  await database.query(
    'truncate records.notices, records.review_proposals, records.proposals, records.access_requests',
  );
  told.length = mailed.length = receivers.length = 0;
  admins.now = undefined;
  chatStatus = 204;
});

class Announced extends AnnouncedAdmins {
  now: BreakGlass | undefined;
  override waiting = () => Promise.resolve(this.now);
}
const admins = new Announced();

const steps: NoticesStep[] = [];
function worker(
  channels: { url?: boolean; mail?: boolean } = { url: true, mail: true },
): NoticesStep {
  const [web, smtp] = [chat.address() as AddressInfo, mails.server.address() as AddressInfo];
  const step = new NoticesStep(
    new WaitingItems(
      database,
      new WaitingInRecords(database, new RecordedProposals(database)),
      admins,
    ),
    database,
    new NoticeOptions(
      {
        url: channels.url === true ? `http://127.0.0.1:${web.port}/hook` : undefined,
        mail:
          channels.mail === true
            ? `smtp://127.0.0.1:${smtp.port}?from=pesapost@example.org&to=a@example.org,b@example.org`
            : undefined,
      },
      'https://pay.example',
    ),
    new Metrics(),
  );
  steps.push(step);
  return step;
}
afterAll(() => {
  for (const step of steps) step.onModuleDestroy();
});

const streamOf = (reference: string) =>
  collectionStream({ mode: 'demo', merchantId: 'm-1', reference });
const inv1001 = streamOf('INV-1001');

async function propose(stream = inv1001): Promise<string> {
  const id = randomUUID();
  const reason = 'Asha at 254712345678 called';
  const proposal = {
    id,
    stream,
    ruling: { decision: 'failed' },
    reason,
    proposedBy: 'grace',
  } as const;
  await new RecordedReviewProposals(database).open(proposal);
  return id;
}

it('reports once by each channel that something waits, and once that it is over', async () => {
  const id = await propose();
  await new RecordedProposals(database).open({
    id: randomUUID(),
    kind: 'role',
    about: 'https://issuer#1 finance',
    details: { person: 'https://issuer#1', name: 'Joseph', role: 'finance' },
    seen: '',
    reason: 'new in the team',
    proposedBy: 'https://issuer#2',
  });
  const step = worker();
  for (let turn = 0; turn < 3; turn += 1) await step.step();
  const waits = (what: string) =>
    `${what}, needs approval by a second person: https://pay.example/portal/waiting`;
  expect(told.map(({ text: words }) => words).sort()).toEqual([
    waits('A review, INV-1001 (demo)'),
    waits('A role, finance'),
  ]);
  expect(told.find(({ kind }) => kind === 'review')).toMatchObject({
    type: 'waiting.asked',
    id,
    name: 'INV-1001',
    mode: 'demo',
  });
  expect(mailed).toHaveLength(2);
  expect(mailed.join()).toContain('To: a@example.org, b@example.org');
  expect(mailed.join()).toContain('Subject: A review waits: INV-1001');

  await new RecordedReviewProposals(database).end(id, 'decided');
  for (let turn = 0; turn < 2; turn += 1) await step.step();
  expect(told.slice(2)).toEqual([
    expect.objectContaining({ type: 'waiting.over', kind: 'review', id }),
  ]);
  expect(mailed.slice(2)).toEqual([
    expect.stringContaining('Subject: A review is closed: INV-1001'),
  ]);
});

it('announces a change that waits for a second admin by its short id, and nothing that it says', async () => {
  const id = randomUUID();
  const proposals = new RecordedProposals(database);
  await proposals.open({
    id,
    kind: 'limits',
    about: 'limits of m-1',
    merchantId: 'm-1',
    mode: 'live',
    details: { payoutMax: '900000', phones: ['254712345678'] },
    seen: '500000',
    reason: 'Asha called',
    proposedBy: 'https://issuer#grace',
  });
  const step = worker();
  for (let turn = 0; turn < 3; turn += 1) await step.step();
  const name = id.slice(0, 8);
  const text = `A change, ${name} (live), needs approval by a second person: https://pay.example/portal/waiting`;
  const notice = { type: 'waiting.asked', kind: 'proposal', id, name, mode: 'live' };
  expect(told).toEqual([{ ...notice, text }]);
  expect(mailed.join()).toContain(`Subject: A change waits: ${name}`);
  for (const secret of ['900000', '500000', '254712345678', 'Asha', 'grace', 'm-1'])
    expect(mailed.join()).not.toContain(secret);

  await proposals.end(id, 'declined', 'https://issuer#joseph');
  for (let turn = 0; turn < 2; turn += 1) await step.step();
  expect(told.slice(1)).toEqual([
    expect.objectContaining({ type: 'waiting.over', kind: 'proposal', id }),
  ]);
});

it('announces what a merchant’s owner asks for by its short id, and nothing that it says', async () => {
  const requests = new AccessRequests(database);
  const id = randomUUID();
  const asked = await requests.ask({
    id,
    kind: 'role',
    merchantId: 'm-1',
    about: 'zuri owner',
    details: '{"person":"zuri"}',
    reason: 'Asha called',
    askedBy: 'https://issuer#grace',
  });
  expect(asked.ok).toBe(true);
  const step = worker();
  for (let turn = 0; turn < 3; turn += 1) await step.step();
  const name = id.slice(0, 8);
  const text = `A request of a merchant, ${name}, waits for an admin: https://pay.example/portal/waiting`;
  expect(told).toEqual([{ type: 'waiting.asked', kind: 'request', id, name, mode: null, text }]);
  for (const secret of ['zuri', 'Asha', 'grace', 'm-1'])
    expect(mailed.join()).not.toContain(secret);
  await requests.withdraw(id, 'https://issuer#grace', 'm-1');
  for (let turn = 0; turn < 2; turn += 1) await step.step();
  expect(told.slice(1)).toEqual([
    expect.objectContaining({ type: 'waiting.over', kind: 'request', id }),
  ]);
});

it('names the command that shows each kind if there is no portal', () => {
  const notice = { id: 'i', name: 'n', mode: undefined, about: 'asked', channel: 'url' } as const;
  const kinds = ['review', 'correction', 'role', 'proposal'] as const;
  expect(kinds.map((kind) => sentence({ ...notice, kind, attempts: 1 }).split(': ')[1])).toEqual([
    'npx pesapost review list',
    'npx pesapost correction list',
    'npx pesapost role list',
    'npx pesapost pending list',
  ]);
});

it('reports by each channel that a new admin is announced, and that an admin can stop it', async () => {
  const at = instantFromMs(0);
  const by = 'https://issuer#2';
  const who = { person: 'https://issuer#1', name: 'Njeri', proposedBy: by, reason: 'lost' };
  admins.now = { ...who, id: randomUUID(), announcedAt: at, takesEffectAt: at };
  const step = worker();
  for (let turn = 0; turn < 3; turn += 1) await step.step();
  expect(told).toEqual([
    expect.objectContaining({
      kind: 'break_glass',
      type: 'waiting.asked',
      text: expect.stringMatching(
        /^BREAK-GLASS: a new admin, Njeri, .*24 hours.*https:\/\/pay.example\/portal\/break-glass$/,
      ),
    }),
  ]);
  expect(mailed.join()).toContain('Subject: BREAK-GLASS: a new admin waits: Njeri');
  admins.now = undefined;
  for (let turn = 0; turn < 2; turn += 1) await step.step();
  expect(told.slice(1)).toEqual([expect.objectContaining({ type: 'waiting.over' })]);
});

it('announces what the records hold while the views cannot be read, and says that it failed', async () => {
  const id = await propose();
  await database.query(`alter schema ${schema} rename to away`);
  await expect(worker().step()).rejects.toThrow('does not exist');
  await database.query(`alter schema away rename to ${schema}`);
  expect(told).toEqual([expect.objectContaining({ type: 'waiting.asked', kind: 'review', id })]);
});

it('says neither why nor who, and no number', async () => {
  await propose();
  await worker().step();
  const said = `${JSON.stringify(told)}${mailed.join()}`;
  expect(told).toHaveLength(1);
  for (const secret of ['254712345678', 'Asha', 'grace', 'failed'])
    expect(said).not.toContain(secret);
});

it('masks a number that V3 took for a reference, and nothing else', async () => {
  const shown = {
    '0712345678': '07*****678',
    order254112345678: 'order2541*****678',
    'T-712345678/2': 'T-7*****678/2',
    '25471234567820261121': '2****************121',
    '0712-345-678': '0******678',
    'INV-202611220001': 'INV-202611220001',
  };
  for (const reference of Object.keys(shown)) await propose(streamOf(reference));
  await worker().step();
  expect(told.map(({ name }) => name).sort()).toEqual(Object.values(shown).sort());
  expect(mailed.join()).not.toMatch(/12345|345-678/);
});

it('retries a rejected notice at growing intervals, and finally gives it up', async () => {
  chatStatus = 500;
  await propose();
  const step = worker();
  const waitsFor = async () => {
    const [row] = await database.query<{
      seconds: number;
      attempts: number;
      outcome: string | null;
    }>(
      `select round(extract(epoch from next_attempt_at - records.now_()))::int as seconds, attempts, outcome
       from records.notices where channel = 'url'`,
    );
    return row;
  };
  await step.step();
  expect(mailed).toHaveLength(1);
  await step.step();
  expect(await waitsFor()).toMatchObject({ attempts: 1, outcome: null });
  expect((await waitsFor())?.seconds).toBeGreaterThan(20);
  for (let attempt = 2; attempt <= 8; attempt += 1) {
    await database.query('update records.notices set next_attempt_at = records.now_()');
    await step.step();
  }
  expect(await waitsFor()).toMatchObject({ attempts: 8, outcome: 'failed' });
  expect(mailed).toHaveLength(1);
});

it('delivers a notice to a channel that was unavailable once it is back', async () => {
  chatStatus = 503;
  await propose();
  const step = worker({ url: true });
  await step.step();
  chatStatus = 200;
  await database.query('update records.notices set next_attempt_at = records.now_()');
  await step.step();
  expect(told).toHaveLength(1);
});

it('sends each notice once, by one of several workers', async () => {
  await propose();
  const workers = [worker(), worker(), worker()];
  await Promise.all(workers.map((step) => step.step()));
  await Promise.all(workers.map((step) => step.step()));
  expect([told.length, mailed.length]).toEqual([1, 1]);
});

describe('a webhook endpoint that fails', () => {
  const failing = (since: string, failures = 3) =>
    database.query(
      `insert into records.webhook_circuits
         (merchant_id, mode, kind, callback_host, failures, failing_since, last_attempt_at, last_outcome)
       values ('m-1', 'live', 'v4', '', $2, $1, $1, 'timeout')
       on conflict (merchant_id, mode, kind, callback_host)
         do update set failures = excluded.failures, failing_since = excluded.failing_since`,
      [since, failures],
    );
  const steps = async (step: NoticesStep, count = 3) => {
    for (let turn = 0; turn < count; turn += 1) await step.step();
  };

  beforeEach(async () => {
    await database.query('truncate records.webhook_circuits, webhook_endpoints, merchants cascade');
    await database.query(`insert into merchants values ('m-1', 'Duka', 'Africa/Nairobi', 'KE')`);
    await database.query(
      `insert into webhook_endpoints values ('m-1', 'live', 'v4', 1, null, 'https://shop.example/hook?key=s3cret', true, false)`,
    );
  });

  it('is announced once by each channel, however often it is tried, and once when it answers again', async () => {
    const step = worker();
    await failing('2024-01-15T10:00:00Z', 2);
    await steps(step);
    expect(told).toEqual([]);
    for (const failures of [3, 4, 9]) {
      await failing('2024-01-15T10:00:00Z', failures);
      await steps(step, 2);
    }
    const name = 'v4 of merchant m-1';
    expect(told).toEqual([
      {
        type: 'endpoint.failing',
        kind: 'endpoint',
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        name,
        mode: 'live',
        text: `A webhook endpoint, ${name} (live), does not accept webhooks: https://pay.example/portal/status#webhooks`,
      },
    ]);
    expect(mailed).toEqual([expect.stringContaining(`Subject: A webhook endpoint fails: ${name}`)]);
    expect(JSON.stringify(told) + mailed.join()).not.toMatch(/shop\.example|s3cret/);

    await failing('2024-01-15T10:00:00Z', 0);
    await steps(step);
    expect(told.slice(1)).toEqual([expect.objectContaining({ type: 'endpoint.recovered', name })]);
    expect(mailed).toHaveLength(2);
  });

  it('is announced again in its next period of failure', async () => {
    const step = worker({ url: true });
    await failing('2024-01-15T10:00:00Z');
    await steps(step);
    await failing('2024-01-16T10:00:00Z');
    await steps(step);
    const types = told.map(({ type }) => type);
    expect(types.filter((type) => type === 'endpoint.failing')).toHaveLength(2);
  });

  describe('with an address given by the merchant’s people', () => {
    const own = 'dev@shop.example';
    const contact = (email: string | undefined) =>
      setFailureContact(
        database,
        { merchantId: 'm-1', mode: 'live', kind: 'v4' },
        email,
        'issuer#asha',
      );
    const toOwn = () => mailed.filter((_, index) => receivers[index]?.join() === own);
    afterEach(() => contact(undefined));

    it('is reported to that address once when it fails, and once when it answers again', async () => {
      await contact(own);
      const step = worker({ mail: true });
      for (const failures of [3, 4, 9]) {
        await failing('2024-01-15T10:00:00Z', failures);
        await steps(step, 2);
      }
      expect(toOwn()).toHaveLength(1);
      // Long lines are broken (quoted-printable).
      const first = toOwn().join().replaceAll('=\r\n', '');
      expect(first).toContain('Subject: PesaPost: your webhook endpoint V4 (live) fails');
      expect(first).toContain('To: dev@shop.example');
      expect(first).toContain('https://pay.example/portal/merchants/m-1/live/webhooks');
      expect(first).not.toMatch(/hook\?key|s3cret|a@example\.org/);
      await failing('2024-01-15T10:00:00Z', 0);
      await steps(step);
      expect(toOwn()).toHaveLength(2);
      expect(toOwn()[1]).toContain('no longer fails');
      const rows = await database.query('select to_json(n)::text from records.notices n');
      expect(rows).toHaveLength(4);
      expect(JSON.stringify(rows)).not.toContain(own);
    });

    it('is not reported to it for another mode, another endpoint or a host of callback URLs', async () => {
      for (const [mode, kind] of [
        ['demo', 'v4'],
        ['live', 'v3'],
      ] as const)
        await setFailureContact(database, { merchantId: 'm-1', mode, kind }, own, 'issuer#asha');
      await failing('2024-01-15T10:00:00Z');
      await steps(worker({ mail: true }));
      expect(toOwn()).toEqual([]);
      await database.query(`update records.webhook_circuits set callback_host = 'cb.example'`);
      await contact(own);
      await steps(worker({ mail: true }));
      expect(toOwn()).toEqual([]);
    });

    it('is reported to the address current at that time, or to no address if it was removed', async () => {
      await contact('old@shop.example');
      await failing('2024-01-15T10:00:00Z');
      await steps(worker({ mail: true }));
      await contact(own);
      await failing('2024-01-15T10:00:00Z', 0);
      await steps(worker({ mail: true }));
      expect(toOwn()).toHaveLength(1);
      await failing('2024-01-16T10:00:00Z');
      await steps(worker({ mail: true }));
      await contact(undefined);
      const before = mailed.length;
      await failing('2024-01-16T10:00:00Z', 0);
      await steps(worker({ mail: true }));
      expect(toOwn()).toHaveLength(2);
      // Only the operators' own.
      expect(mailed.length - before).toBe(1);
    });

    it('does not have the address in the log if the mail server refuses it', async () => {
      const lines: string[] = [];
      const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => {
        const { err, ...members } = line as { err: Error };
        lines.push(JSON.stringify(members), err.message, err.stack ?? '', String(err.cause));
      });
      await contact('gone@shop.example');
      await failing('2024-01-15T10:00:00Z');
      await steps(worker({ mail: true }), 1);
      warn.mockRestore();
      expect(lines.join('\n')).toContain('550');
      expect(lines.join('\n')).not.toMatch(/gone@|shop\.example/);
    });
  });

  it('is not announced if it is disabled', async () => {
    await database.query('update webhook_endpoints set enabled = false');
    await failing('2024-01-15T10:00:00Z');
    await steps(worker());
    expect(told).toEqual([]);
  });
});

describe('a credential that ends soon', () => {
  const ends = (id: string, days: number) =>
    database.query(
      `with issued as (
         insert into credentials (credential_id, merchant_id, kind, mode, holder, client_id, revoked)
           values ($1, 'm-1', 'v4', 'live', 'till of Asha', $1, false) on conflict do nothing)
       insert into records.credential_ends (credential_id, expires_at, revision)
         values ($1, records.now_() + $2 * interval '1 day', 1)
       on conflict (credential_id) do update set expires_at = excluded.expires_at`,
      [id, days],
    );
  const steps = async (step: NoticesStep, count = 3) => {
    for (let turn = 0; turn < count; turn += 1) await step.step();
  };
  const reminders = () => told.filter(({ kind }) => kind === 'credential');

  beforeEach(async () => {
    await database.query(
      'truncate records.webhook_circuits, records.credential_ends, credentials, merchants cascade',
    );
    await database.query(`insert into merchants values ('m-1', 'Duka', 'Africa/Nairobi', 'KE')`);
  });
  afterAll(() => database.query('truncate credentials, merchants cascade'));

  it('is announced once by each channel, over restarts and several workers', async () => {
    await ends('c-1', 6.5);
    await ends('c-2', 31);
    const workers = [worker(), worker()];
    await Promise.all(workers.map((step) => step.step()));
    await steps(worker());
    expect(reminders()).toEqual([
      {
        type: 'credential.ending',
        kind: 'credential',
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        name: expect.stringMatching(/^v4 c-1 of merchant m-1 until \d{4}-\d\d-\d\d$/),
        mode: 'live',
        text: expect.stringMatching(
          /^A credential, v4 c-1 of .* \(live\), stops working soon\. .*: https:\/\/pay\.example\/portal\/merchants\/m-1\/live\/keys$/,
        ),
      },
    ]);
    expect(mailed).toEqual([expect.stringContaining('Subject: A credential ends soon: v4 c-1')]);
    expect(JSON.stringify(told) + mailed.join()).not.toContain('Asha');
  });

  it('is announced again for a new end, and not when it is revoked or ends', async () => {
    await ends('c-1', 20);
    await steps(worker({ url: true }));
    await ends('c-1', 25);
    await steps(worker({ url: true }));
    expect(reminders()).toHaveLength(2);
    await database.query('update credentials set revoked = true');
    await ends('c-2', -1);
    await steps(worker({ url: true }));
    expect(told).toHaveLength(2);
  });

  it('goes to the address that the merchant’s people gave for the version and mode', async () => {
    const contact = { merchantId: 'm-1', mode: 'live', kind: 'v4' } as const;
    await setFailureContact(database, contact, 'dev@shop.example', 'issuer#asha');
    await ends('c-1', 0.5);
    await steps(worker({ mail: true }));
    await setFailureContact(database, contact, undefined, 'issuer#asha');
    const own = mailed.filter((_, index) => receivers[index]?.join() === 'dev@shop.example');
    expect(own).toHaveLength(1);
    const text = own.join().replaceAll('=\r\n', '');
    expect(text).toContain('Subject: PesaPost: your API key ends soon');
    expect(text).toContain('https://pay.example/portal/merchants/m-1/live/keys');
  });
});

it('records nothing if no channel is set', async () => {
  await propose();
  expect(await worker({}).step()).toBe('idle');
  expect(await database.query('select 1 from records.notices')).toEqual([]);
});
