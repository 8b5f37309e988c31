import { type Child, eventually, freePort, type Service, startChild } from '#testing';
import { expect } from '@jest/globals';
import { constants, createPublicKey, publicEncrypt, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Airtel's simulator as a process beside a service. It remembers what it took when it starts again. */
export class AirtelProcess {
  readonly url: string;
  #child: Child | undefined;

  private constructor(
    private readonly port: number,
    private readonly folder: string,
    private readonly delay: string,
  ) {
    this.url = `http://127.0.0.1:${port}`;
  }

  /** @param delay from a push to its callback */
  static async begin(delay = '50ms'): Promise<AirtelProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'pesapost-airtel-'));
    const process = new AirtelProcess(await freePort(), folder, delay);
    await process.start();
    return process;
  }

  async start(): Promise<void> {
    this.#child = await startChild('airtel-simulator', {
      SIMULATOR_AIRTEL_PORT: String(this.port),
      SIMULATOR_AIRTEL_DIR: this.folder,
      SIMULATOR_DELAY: this.delay,
      SIMULATOR_SLOW_ANSWER: '2s',
    });
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#child?.ended;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.signal(signal);
  }

  async stop(): Promise<void> {
    this.signal('SIGCONT');
    this.signal('SIGTERM');
    await this.#child?.ended;
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Changes what an operator sets in Airtel's portal, and the simulator's own ways. */
  async set(ways: Readonly<Record<string, string>>): Promise<void> {
    const answer = await fetch(`${this.url}/_portal`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ways),
    });
    expect(answer.status).toBe(200);
  }

  async says(path: string): Promise<Readonly<Record<string, unknown>>> {
    const answer = await fetch(this.url + path);
    return (await answer.json()) as Readonly<Record<string, unknown>>;
  }

  /** Returns the settings with which a service collects and pays out over it. */
  async settings(): Promise<Readonly<Record<string, string>>> {
    return {
      ...this.collecting(),
      RAIL_AIRTEL_DEMO_ENCRYPTED_PIN: await this.encryptedPin(),
      RAIL_AIRTEL_DEMO_PAYOUT_RATE: '100',
    };
  }

  /** Returns the settings with which a service only collects over it. */
  collecting(): Readonly<Record<string, string>> {
    return {
      RAIL_AIRTEL_DEMO_URL: this.url,
      RAIL_AIRTEL_DEMO_CLIENT_ID: 'simulator-client',
      RAIL_AIRTEL_DEMO_CLIENT_SECRET: 'simulator-secret',
      RAIL_AIRTEL_DEMO_STEP: '1',
    };
  }

  /** Enables the channel for the service's account, as an operator does, and sets the address for callbacks. */
  async enableFor(service: Service): Promise<void> {
    const { merchantId, accountNo } = service.merchant.credentials;
    const enabled = await service.runCommand([
      ...['account', 'channels', '--merchant', merchantId, '--account', accountNo],
      ...['--channels', 'mpesa,airtel', '--as', 'amina', '--reason', 'Airtel Money is ready'],
    ]);
    expect(enabled).toMatchObject({ code: 0 });
    const printed = await service.runCommand([
      ...['rail', 'callback-address', '--channel', 'airtel', '--mode', 'demo', '--json'],
    ]);
    const { address } = JSON.parse(printed.text) as { address: string };
    expect(address).toMatch(/\/rails\/shared\/[0-9a-f]+$/);
    await this.set({ callback_url: address });
    const reference = `enabled-${randomUUID()}`;
    const probe = { reference, phone: '254733000001', channel: 'airtel' };
    await eventually(
      () => service.merchant.collect(probe),
      ({ status }) => status === 202,
    );
    await eventually(
      () => service.merchant.get(`/api/v4/collections/${reference}`),
      ({ body }) => body['status'] === 'completed',
    );
  }

  /** The PIN as an operator encrypts it in Airtel's portal. */
  async encryptedPin(): Promise<string> {
    const [key = ''] = Object.values(await this.says('/_keys')).map(String);
    const der = Buffer.from(key, 'base64');
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const padding = constants.RSA_PKCS1_PADDING;
    return publicEncrypt({ key: publicKey, padding }, Buffer.from('1234')).toString('base64');
  }
}

/** True for the numbers of Airtel's simulator, whose payments go over Airtel. */
export function railOf(phone: string): 'mpesa' | 'airtel' {
  return phone.startsWith('254733') ? 'airtel' : 'mpesa';
}
