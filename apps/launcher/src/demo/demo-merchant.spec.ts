import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartRefused } from '../refusal.js';
import { DataDirectory } from '../data-directory/data-directory.js';
import { type RunCommand } from './command-line.js';
import { type DemoFile } from './demo-file.js';
import { demoMerchant } from './demo-merchant.js';

const urls = {
  base_url: 'http://127.0.0.1:8080',
  admin_url: 'http://127.0.0.1:9464',
  simulator_url: 'http://127.0.0.1:8099',
};

const commands = [
  'merchant create',
  'fee set',
  'account open',
  'credential issue v4',
  'holder bind',
  'credential issue v4',
  'holder bind',
  'credential issue checkout',
  'hosts set',
  'credential issue v3',
  'account channels',
  'webhook set',
];
/** The file is not saved between one of these and its neighbour, so the whole step runs again. */
const ofOneStep = ['merchant create', 'fee set', 'holder bind', 'credential issue v3'];

/** Answers like the command line and records its commands. */
class FakeCommandLine {
  readonly commands: string[] = [];
  readonly publicKeys: string[] = [];
  /** The command that is killed before it answers. */
  killedAt = '';
  /** The command that is refused. */
  refusedAt = '';
  /** If true, a new setting of the endpoint shows no secret. */
  endpointIsThere = false;

  readonly run: RunCommand = async (...args) => {
    const kind = args.includes('--kind') ? ` ${args[args.indexOf('--kind') + 1] ?? ''}` : '';
    const command = `${args.slice(0, 2).join(' ')}${kind}`;
    this.commands.push(command);
    const keyFile = args[args.indexOf('--public-key') + 1];
    if (args.includes('--public-key') && keyFile !== undefined)
      this.publicKeys.push(await readFile(keyFile, 'utf8'));
    if (command === this.killedAt) throw new Error('killed');
    if (command === this.refusedAt) throw new StartRefused('not that');
    return {
      merchant_id: 'm1',
      account_no: '1000200030',
      client_id: 'c1',
      client_secret: 's1',
      checkout_key_id: 'k1',
      checkout_secret: 'h1',
      consumer_key: 'v3-1',
      vid: 'duka',
      ...(command === 'webhook rotate' && { webhook_secret: 'w2' }),
      ...(command === 'webhook set' && !this.endpointIsThere && { webhook_secret: 'w1' }),
    };
  };
}

describe('the demo merchant', () => {
  let directory: DataDirectory;
  beforeEach(async () => {
    directory = await DataDirectory.open(await mkdtemp(join(tmpdir(), 'pesapost-demo-')));
  });
  afterEach(() => rm(directory.path, { recursive: true, force: true }));

  const make = (
    cli: FakeCommandLine,
    more: Partial<typeof urls> = {},
    receiverUrl = 'http://127.0.0.1:3000',
    airtelUrl: string | undefined = 'http://127.0.0.1:8098',
  ): Promise<DemoFile> => {
    const { run } = cli;
    const say = () => undefined;
    return demoMerchant({
      directory,
      run,
      say,
      receiverUrl,
      airtelUrl,
      urls: { ...urls, ...more },
    });
  };
  const kept = async (): Promise<DemoFile> =>
    JSON.parse((await directory.read('demo.json')) ?? '') as DemoFile;

  it('is made completely, and demo.json contains exactly what a client needs', async () => {
    const cli = new FakeCommandLine();
    const demo = await make(cli);
    expect(cli.commands).toEqual(commands);
    expect(await kept()).toEqual(demo);
    expect(Object.keys(demo).sort()).toEqual(
      [
        ...Object.keys(urls),
        ...['merchant_id', 'timezone', 'v4', 'v4_checker', 'v3', 'webhook_receiver_url'],
        'airtel_simulator_url',
      ].sort(),
    );
    expect(Object.keys(demo.v4).sort()).toEqual([
      'account_no',
      'checkout_key_id',
      'checkout_secret',
      'client_id',
      'client_secret',
      'currency',
      'private_key_pem',
      'webhook_secret',
    ]);
    expect(demo.v3).toEqual({
      consumer_key: 'v3-1',
      private_key_pem: demo.v3?.private_key_pem,
      checkout_secret: 'h1',
      account_no: demo.v4.account_no,
      vid: 'duka',
    });
    const publicKeys = [demo.v4, demo.v4_checker, demo.v3].map((credential) =>
      createPublicKey(createPrivateKey(credential?.private_key_pem ?? '')).export({
        type: 'spki',
        format: 'pem',
      }),
    );
    expect(cli.publicKeys).toEqual(publicKeys);
  });

  it('gets the keys that are missing if an earlier release made it, and keeps the others', async () => {
    const made = await make(new FakeCommandLine());
    const { v3: _v3, webhook_receiver_url: _url, airtel_simulator_url: _airtel, ...before } = made;
    const {
      checkout_key_id: _id,
      checkout_secret: _secret,
      webhook_secret: _webhook,
      ...v4
    } = before.v4;
    await directory.writeSecret('demo.json', JSON.stringify({ ...before, v4 }));
    const cli = new FakeCommandLine();
    const after = await make(cli);
    expect(cli.commands).toEqual(commands.slice(commands.indexOf('credential issue checkout')));
    expect(after).toMatchObject({ ...before, v3: { consumer_key: 'v3-1' } });
  });

  it('keeps ids and secrets over later starts, and adopts their URLs', async () => {
    const first = await make(new FakeCommandLine());
    const cli = new FakeCommandLine();
    const second = await make(cli, { base_url: 'http://127.0.0.1:9000' });
    expect(cli.commands).toEqual([]);
    expect(second).toEqual({ ...first, base_url: 'http://127.0.0.1:9000' });
    expect(await kept()).toEqual(second);
  });

  it('has its endpoint set again, under the same secret, if the receiver’s URL has changed', async () => {
    const first = await make(new FakeCommandLine());
    const cli = new FakeCommandLine();
    cli.endpointIsThere = true;
    const second = await make(cli, {}, 'http://127.0.0.1:3001');
    expect(cli.commands).toEqual(['webhook set']);
    expect(second).toEqual({ ...first, webhook_receiver_url: 'http://127.0.0.1:3001' });
    expect(await kept()).toEqual(second);
  });

  it('gets a new webhook secret if a killed start set the endpoint before anyone saw its secret', async () => {
    const cli = new FakeCommandLine();
    cli.endpointIsThere = true;
    const demo = await make(cli);
    expect(cli.commands.slice(-2)).toEqual(['webhook set', 'webhook rotate']);
    expect(demo.v4.webhook_secret).toBe('w2');
  });

  it('gets Airtel Money once, so a person may remove it, and loses its address without the simulator', async () => {
    const first = await make(new FakeCommandLine());
    const cli = new FakeCommandLine();
    const moved = await make(cli, {}, undefined, 'http://127.0.0.1:8198');
    expect(cli.commands).toEqual([]);
    expect(moved).toEqual({ ...first, airtel_simulator_url: 'http://127.0.0.1:8198' });
    const { run } = cli;
    const without = await demoMerchant({
      directory,
      run,
      urls,
      airtelUrl: undefined,
      say: () => undefined,
      receiverUrl: 'http://127.0.0.1:3000',
    });
    expect(Object.keys(without)).not.toContain('airtel_simulator_url');
    expect(await kept()).toEqual(without);
  });

  it('omits Airtel Money if no command may enable it, and tries again at the next start', async () => {
    const cli = new FakeCommandLine();
    cli.refusedAt = 'account channels';
    expect(Object.keys(await make(cli))).not.toContain('airtel_simulator_url');
    cli.refusedAt = '';
    expect(Object.keys(await make(cli))).toContain('airtel_simulator_url');
  });

  it('omits webhooks if they may not go to this machine', async () => {
    const cli = new FakeCommandLine();
    cli.refusedAt = 'webhook set';
    const demo = await make(cli);
    expect(Object.keys(demo)).not.toContain('webhook_receiver_url');
    expect(Object.keys(demo.v4)).not.toContain('webhook_secret');
  });

  it('omits V3 if V3 accepts no new merchants', async () => {
    const cli = new FakeCommandLine();
    cli.refusedAt = 'credential issue v3';
    const demo = await make(cli);
    expect(Object.keys(demo)).not.toContain('v3');
    expect(await kept()).toEqual(demo);
  });

  it('is continued from the step at which a killed start stopped', async () => {
    for (const killedAt of commands.filter((command) => !ofOneStep.includes(command))) {
      await directory.remove('demo.json');
      const killed = new FakeCommandLine();
      killed.killedAt = killedAt;
      await expect(make(killed)).rejects.toThrow('killed');
      const next = new FakeCommandLine();
      await make(next);
      expect(next.commands).toEqual(commands.slice(commands.indexOf(killedAt)));
    }
  });

  it('gets a new key pair if a killed start issued a credential before anyone saw its secret', async () => {
    const cli = new FakeCommandLine();
    cli.killedAt = 'credential issue v4';
    await expect(make(cli)).rejects.toThrow('killed');
    cli.killedAt = '';
    await make(cli);
    // The lost credential's key, its successor's, the checker's and V3's.
    expect(new Set(cli.publicKeys).size).toBe(4);
  });

  it('refuses a demo.json that is damaged rather than losing its secrets', async () => {
    await directory.writeSecret('demo.json', '{"base_url":');
    await expect(make(new FakeCommandLine())).rejects.toThrow('is not JSON');
    expect(await directory.read('demo.json')).toBe('{"base_url":');
  });
});
