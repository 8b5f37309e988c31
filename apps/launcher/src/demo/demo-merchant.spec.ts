import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDirectory } from '../data-directory/data-directory.js';
import { type RunCommand } from './command-line.js';
import { type DemoFile } from './demo-file.js';
import { demoMerchant } from './demo-merchant.js';

const urls = {
  base_url: 'http://127.0.0.1:8080',
  admin_url: 'http://127.0.0.1:9464',
  simulator_url: 'http://127.0.0.1:8099',
};

/** Answers as the command line does and remembers what it was asked. */
class FakeCommandLine {
  readonly commands: string[] = [];
  readonly publicKeys: string[] = [];
  /** The command that is killed before it answers. */
  killedAt = '';

  readonly run: RunCommand = async (...args) => {
    const command = args.slice(0, 2).join(' ');
    this.commands.push(command);
    const keyFile = args[args.indexOf('--public-key') + 1];
    if (args.includes('--public-key') && keyFile !== undefined)
      this.publicKeys.push(await readFile(keyFile, 'utf8'));
    if (command === this.killedAt) throw new Error('killed');
    return {
      merchant_id: 'm1',
      account_no: '1000200030',
      client_id: 'c1',
      client_secret: 's1',
    };
  };
}

describe('the demo merchant', () => {
  let directory: DataDirectory;
  beforeEach(async () => {
    directory = await DataDirectory.open(await mkdtemp(join(tmpdir(), 'pesapost-demo-')));
  });
  afterEach(() => rm(directory.path, { recursive: true, force: true }));

  const make = (cli: FakeCommandLine, more: Partial<typeof urls> = {}): Promise<DemoFile> =>
    demoMerchant({ directory, run: cli.run, urls: { ...urls, ...more }, say: () => undefined });
  const kept = async (): Promise<DemoFile> =>
    JSON.parse((await directory.read('demo.json')) ?? '') as DemoFile;

  it('is made whole, and demo.json holds all that a client needs and nothing else', async () => {
    const cli = new FakeCommandLine();
    const demo = await make(cli);
    expect(cli.commands).toEqual([
      'merchant create',
      'fee set',
      'account open',
      'credential issue',
    ]);
    expect(await kept()).toEqual(demo);
    expect(Object.keys(demo).sort()).toEqual(
      [...Object.keys(urls), 'merchant_id', 'timezone', 'v4'].sort(),
    );
    expect(Object.keys(demo.v4).sort()).toEqual([
      'account_no',
      'client_id',
      'client_secret',
      'currency',
      'private_key_pem',
    ]);
    const publicKey = createPublicKey(createPrivateKey(demo.v4.private_key_pem));
    expect(cli.publicKeys).toEqual([publicKey.export({ type: 'spki', format: 'pem' })]);
  });

  it('keeps ids and secrets over later starts, and takes their URLs', async () => {
    const first = await make(new FakeCommandLine());
    const cli = new FakeCommandLine();
    const second = await make(cli, { base_url: 'http://127.0.0.1:9000' });
    expect(cli.commands).toEqual([]);
    expect(second).toEqual({ ...first, base_url: 'http://127.0.0.1:9000' });
    expect(await kept()).toEqual(second);
  });

  it('is taken up where a killed start stopped', async () => {
    const commands = ['merchant create', 'fee set', 'account open', 'credential issue'];
    for (const killedAt of ['account open', 'credential issue']) {
      await directory.remove('demo.json');
      const killed = new FakeCommandLine();
      killed.killedAt = killedAt;
      await expect(make(killed)).rejects.toThrow('killed');
      const next = new FakeCommandLine();
      await make(next);
      expect(next.commands).toEqual(commands.slice(commands.indexOf(killedAt)));
    }
  });

  it('gets a new key pair where a killed start had issued a credential whose secret nobody saw', async () => {
    const cli = new FakeCommandLine();
    cli.killedAt = 'credential issue';
    await expect(make(cli)).rejects.toThrow('killed');
    cli.killedAt = '';
    await make(cli);
    expect(new Set(cli.publicKeys).size).toBe(2);
  });

  it('refuses a demo.json that is damaged rather than losing its secrets', async () => {
    await directory.writeSecret('demo.json', '{"base_url":');
    await expect(make(new FakeCommandLine())).rejects.toThrow('is not JSON');
    expect(await directory.read('demo.json')).toBe('{"base_url":');
  });
});
