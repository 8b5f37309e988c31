import { afterAll, beforeAll } from '@jest/globals';
import { type CollectionEvent, collectionStream } from '#domain/collections';
import { type RecordedEvent } from '#domain/event-sourcing';
import { eventually, openStore, pesapost, type Service, startService } from '#testing';
import { issueV3, type V3Client, type Values } from './v3-client.js';

/** A host on the merchant's list. */
export const allowedHost = 'shop.example';

const why = ['--reason', 'test', '--as', 'spec'];

/** The service with a merchant that has both versions' credentials, and the views of an operator and the rail. */
export class V3Scene {
  private made = 0;

  private constructor(
    readonly service: Service,
    readonly client: V3Client,
  ) {}

  static async start(): Promise<V3Scene> {
    const service = await startService();
    const { merchantId, accountNo } = service.merchant.credentials;
    const hosts = ['--merchant', merchantId, '--hosts', allowedHost];
    await pesapost(service.env, 'hosts', 'set', ...hosts, ...why);
    const client = await issueV3(service, merchantId);
    await eventually(
      () => client.balance(['KE', accountNo, 'KES']),
      ({ status }) => status === 200,
    );
    return new V3Scene(service, client);
  }

  get merchantId(): string {
    return this.service.merchant.credentials.merchantId;
  }

  get accountNumber(): string {
    return this.service.merchant.credentials.accountNo;
  }

  /** A valid body with a ref of its own, changed as given. */
  values(differing: Values = {}): Values {
    this.made += 1;
    return {
      accountNumber: this.accountNumber,
      ref: `V3-${this.made}`,
      mobileNumber: '254712345678',
      amount: '250.00',
      currency: 'KES',
      live: 0,
      ...differing,
    };
  }

  /** The number of pushes that the rail has accepted. */
  async pushes(): Promise<number> {
    const response = await fetch(`${this.service.simulatorUrl}/_stats`);
    return ((await response.json()) as { pushes: number }).pushes;
  }

  /** The V4 list item: the list also contains V3's collections. */
  async item(ref: unknown): Promise<Readonly<Record<string, unknown>>> {
    const path = `/api/v4/collections/${encodeURIComponent(String(ref))}`;
    return (await this.service.merchant.get(path)).body;
  }

  /** The whole stream of a collection of the merchant, in demo mode. */
  async history(reference: unknown): Promise<readonly RecordedEvent<CollectionEvent>[]> {
    const store = openStore(this.service.env['EVENTSTORE_URL']);
    const key = {
      mode: 'demo',
      merchantId: this.merchantId,
      reference: String(reference),
    } as const;
    try {
      return await store.readStream<CollectionEvent>(collectionStream(key));
    } finally {
      await store.dispose();
    }
  }

  /** Another merchant's id. */
  async merchantIn(country: string): Promise<string> {
    const name = `Of ${country}`;
    const how = ['--name', name, '--country', country, ...why];
    return (await pesapost(this.service.env, 'merchant', 'create', ...how))['merchant_id'] ?? '';
  }

  async openAccount(merchantId: string, mode: 'demo' | 'live'): Promise<string> {
    const how = ['--merchant', merchantId, '--mode', mode, '--currency', 'KES', ...why];
    return (await pesapost(this.service.env, 'account', 'open', ...how))['account_no'] ?? '';
  }

  async revoke(merchantId: string, credentialId: string): Promise<void> {
    const how = [credentialId, '--merchant', merchantId, ...why];
    await pesapost(this.service.env, 'credential', 'revoke', ...how);
  }
}

/**
 * A scene for a spec's tests, stopped after them.
 * @param started called with it before the first test
 */
export function useV3Scene(started: (scene: V3Scene) => void): void {
  let scene: V3Scene;
  beforeAll(async () => {
    scene = await V3Scene.start();
    started(scene);
  }, 240_000);
  afterAll(() => scene.service.stop());
}
