import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { packageDirectory } from '#infra/runtime';
import { webhookReceiver } from '#sdk';
import {
  eventually,
  inheritedEnvironment,
  pesapost,
  type Service,
  signedHeaders,
  startService,
  freePort,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requireProgram } from '../servers/program.js';

let service: Service;
let directory: string;
let python: ChildProcess;
let receiverUrl: string;
let secret = '';
const why = ['--reason', 'spec', '--as', 'spec'];
const of = () => ['--merchant', service.merchant.credentials.merchantId, '--mode', 'demo'];
const secretFile = () => join(directory, 'webhook-secret');
/** Replaces the receiver's secret at once: it reads the file for each webhook, and must never find it half written. */
function giveReceiver(known: string): void {
  writeFileSync(`${secretFile()}.next`, known);
  renameSync(`${secretFile()}.next`, secretFile());
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pesapost-webhooks-'));
  service = await startService({ WEBHOOK_ALLOW_PRIVATE: 'on', RAIL_QUERY_DELAYS: '1h,2h' });
  const file = packageDirectory('test/e2e/webhook_receiver.py');
  await requireProgram('python3');
  python = spawn('python3', [file, secretFile()], {
    env: inheritedEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (!python.stdout) throw new Error('no stdout');
  const [port] = (await once(createInterface({ input: python.stdout }), 'line')) as [string];
  receiverUrl = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  python.kill();
  await service.stop();
  rmSync(directory, { recursive: true });
});

interface Report {
  readonly bodies: readonly string[];
  readonly gaps: readonly number[];
  readonly repeats: number;
  readonly samples: number;
  readonly refused: readonly string[];
}
const report = async () => (await (await fetch(receiverUrl)).json()) as Report;

/** The bytes of the feed. */
async function feed(query = ''): Promise<string> {
  const url = `/api/v4/events${query}`;
  const headers = signedHeaders(await service.merchant.signIn(), { method: 'GET', url });
  return (await fetch(service.baseUrl + url, { headers })).text();
}

async function lastSequence(): Promise<number> {
  const { body } = await service.merchant.get('/api/v4/events?limit=100');
  return Number(body['next_after_sequence']);
}

/** Resolves when its outcome is in the feed. */
async function collect(reference: string, phone = '254712345678'): Promise<void> {
  const before = await lastSequence();
  const { status } = await service.merchant.collect({ reference, phone });
  expect([202, 502]).toContain(status);
  await eventually(lastSequence, (last) => last > before);
}

const setTo = (url: string) =>
  pesapost(service.env, 'webhook', 'set', ...of(), '--url', url, ...why);
const until = (isSo: (of: Report) => boolean) => eventually(report, isSo, { withinMs: 90_000 });

describe('a receiver in another language, by the reference alone', () => {
  it('verifies what a run tells it, and finds no gap', async () => {
    await collect('BEFORE-1');
    ({ webhook_secret: secret = '' } = await setTo(receiverUrl));
    giveReceiver(secret);
    const phones = ['254712345678', '254700000002', '254700000008', '254700000011'];
    for (let index = 0; index < 24; index++)
      await service.merchant.collect({
        reference: `RUN/${index}`,
        phone: phones[index % phones.length],
        amount_minor: 100 + index,
      });
    // 254700000008 declines, then pays: two events.
    const last = await eventually(lastSequence, (of) => of === 1 + 24 + 6);
    const { bodies, gaps, refused } = await until((of) => of.bodies.length === last - 1);
    expect(refused).toEqual([]);
    // Only the feed contains events from before the endpoint was set.
    expect(gaps).toEqual([1]);
    const expected = `{"data":[${bodies.join(',')}],"next_after_sequence":${last}}`;
    expect(await feed('?after_sequence=1&limit=100')).toBe(expected);
  });

  it('knows webhooks while its secret is rotated, by the old one and by the new one', async () => {
    const { webhook_secret: next = '' } = await pesapost(
      ...[service.env, 'webhook', 'rotate', ...of(), ...why],
    );
    // A worker may sign with the old secret alone for a second, from its cache.
    await sleep(3000);
    for (const [name, known] of [
      ['OLD-1', secret],
      ['NEW-1', next],
    ] as const) {
      giveReceiver(known);
      await collect(name);
      const { refused } = await until(({ bodies }) => bodies.some((body) => body.includes(name)));
      expect(refused).toEqual([]);
    }
    secret = next;
  });
});

describe('an operator', () => {
  const show = async (id: string) => {
    const shown: unknown = await pesapost(service.env, 'webhook', 'show', id);
    return shown as {
      body: string;
      deliveries: { outcome: string; attempts: object[] }[];
      asked_for: object[];
    };
  };
  const idOf = async (sequence: number) => {
    const { body } = await service.merchant.get(
      `/api/v4/events?after_sequence=${sequence - 1}&limit=1`,
    );
    return (body['data'] as { id: string }[])[0]?.id ?? '';
  };

  it('sends what was never owed, and the receiver has all', async () => {
    const id = await idOf(1);
    expect((await show(id)).deliveries).toEqual([]);
    await pesapost(service.env, 'webhook', 'resend', id, ...why);
    const { gaps, refused } = await until((of) => of.gaps.length === 0);
    expect([gaps, refused]).toEqual([[], []]);
    expect(await show(id)).toMatchObject({
      body: (await report()).bodies[0],
      deliveries: [{ kind: 'v4', outcome: 'delivered', attempts: [{ status: 204 }] }],
    });
    await pesapost(
      service.env,
      'webhook',
      'resend',
      id,
      '--reason',
      'they lost it',
      '--as',
      'asha',
    );
    await until(({ repeats }) => repeats === 1);
    expect((await show(id)).asked_for).toMatchObject([
      { kind: 'v4', mode: 'demo', sample: false, by: 'asha', reason: 'they lost it' },
      { kind: 'v4', mode: 'demo', sample: false, by: 'spec', reason: 'spec' },
    ]);
  });

  it('sees which endpoint fails, and how', async () => {
    await setTo(`http://127.0.0.1:${await freePort()}/`);
    await collect('LOST-1');
    const failing = async () => {
      const listed: unknown = await pesapost(
        ...[service.env, 'webhook', 'deliveries', ...of(), '--failing'],
      );
      return listed as { deliveries: object[]; endpoints: object[] };
    };
    const { deliveries, endpoints } = await eventually(
      failing,
      (found) => found.deliveries.length > 0,
      { withinMs: 60_000 },
    );
    expect(deliveries).toMatchObject([
      { type: 'collection.completed', outcome: null, last_outcome: 'connection' },
    ]);
    expect(endpoints).toMatchObject([{ mode: 'demo', kind: 'v4', enabled: true }]);
    await setTo(receiverUrl);
    await pesapost(service.env, 'webhook', 'resend', await idOf(await lastSequence()), ...why);
    await until(({ bodies }) => bodies.some((body) => body.includes('LOST-1')));
  });

  it('has a sample sent, which no receiver takes for an event', async () => {
    const { merchantId } = service.merchant.credentials;
    const trigger = ['webhook', 'trigger', 'payout.rejected', '--merchant', merchantId];
    await expect(pesapost(service.env, ...trigger)).rejects.toMatchObject({
      stderr: expect.stringContaining('--reason') as unknown,
    });
    expect(await pesapost(service.env, ...trigger, ...why)).toMatchObject({ status: 204 });
    expect(await pesapost(service.env, 'webhook', 'deliveries', ...of())).toMatchObject({
      asked_for: expect.arrayContaining([
        expect.objectContaining({ sample: true, type: 'payout.rejected', reason: 'spec' }),
      ]) as unknown,
    });
    expect(await report()).toMatchObject({ samples: 1, refused: [], gaps: [] });
    await pesapost(service.env, 'webhook', 'disable', ...of(), ...why);
    const id = await idOf(1);
    // The view of endpoints follows the command.
    const refusal = await eventually(
      () =>
        pesapost(service.env, 'webhook', 'resend', id, ...why).then(
          () => undefined,
          (error: unknown) => error,
        ),
      (error) => error !== undefined,
    );
    expect(refusal).toMatchObject({ stderr: expect.stringContaining('webhook enable') as unknown });
  });
});

describe('a developer who listens', () => {
  it('gets on their machine what happens from then on, over a restart of the service', async () => {
    const seen: string[] = [];
    const receiver = webhookReceiver({
      secrets: secret,
      onEvent: ({ data }) => seen.push(data.reference),
    });
    const server = createServer(receiver.node).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { clientId, clientSecret, privateKeyPem } = service.merchant.credentials;
    const file = (name: string, text: string) => {
      writeFileSync(join(directory, name), text);
      return join(directory, name);
    };
    const listening = service.spawnCommand([
      ...['webhook', 'listen', '--base-url', service.baseUrl, '--client-id', clientId],
      ...['--client-secret-file', file('client-secret', clientSecret)],
      ...['--key-file', file('key.pem', privateKeyPem), '--webhook-secret-file', secretFile()],
      ...['--url', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`],
    ]);
    try {
      const last = await lastSequence();
      await eventually(
        () => Promise.resolve(listening.lines),
        (lines) => lines.some((line) => line.startsWith(`forwarding what follows event ${last} `)),
        { withinMs: 90_000 },
      );
      await collect('LISTENED-1');
      await service.kill('api');
      await service.start('api');
      await collect('LISTENED-2');
      await eventually(
        () => Promise.resolve(seen),
        (references) => references.length === 2,
        { withinMs: 60_000 },
      );
      expect(seen).toEqual(['LISTENED-1', 'LISTENED-2']);
      await eventually(
        () => Promise.resolve(listening.lines),
        (lines) => lines.includes(`${last + 2} collection.completed LISTENED-2 → 204`),
      );
      listening.signal('SIGINT');
      listening.signal('SIGINT');
      const code = await listening.ended;
      // The second signal may reach a process that has removed its handlers, on its way out.
      expect([0, 'SIGINT']).toContain(code ?? listening.endedBy());
    } finally {
      listening.signal('SIGKILL');
      server.closeAllConnections();
      server.close();
    }
  });
});
