import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type AirtelRailSettings, Metrics, SystemClock, SystemTimer } from '#infra/runtime';
import { eventually } from '#testing';
import { AirtelProcess } from '../../../../test/rail/airtel-process.js';
import { describeRail, type QueryCase } from '../../../../test/rail/contract.js';
import { OwnToken } from '../../../../test/rail/fake-daraja.js';
import { AirtelRail } from './airtel-rail.js';

/** Enough for a push on a busy machine. */
const pushTimeoutMs = 8000;

/** Airtel's simulator, and adapters of it. */
class Scene {
  #pin = '';
  #pushes = 0;
  readonly #adapters: AirtelRail[] = [];

  private constructor(readonly airtel: AirtelProcess) {}

  static async begin(ways: Readonly<Record<string, string>>): Promise<Scene> {
    const scene = new Scene(await AirtelProcess.begin('100ms'));
    await scene.airtel.set(ways);
    scene.#pin = await scene.airtel.encryptedPin();
    return scene;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#adapters.map((adapter) => adapter.close()));
    await this.airtel.stop();
  }

  /** Returns the number of pushes that the simulator took since the last call. */
  async newPushes(): Promise<number> {
    const pushes = Number((await this.airtel.says('/_stats'))['pushes']);
    const fresh = pushes - this.#pushes;
    this.#pushes = pushes;
    return fresh;
  }

  adapter(signs: AirtelRailSettings['signs'], url = this.airtel.url): AirtelRail {
    const settings: AirtelRailSettings = {
      url,
      clientId: 'simulator-client',
      clientSecret: 'simulator-secret',
      country: 'KE',
      stepMinor: 1n,
      ...(signs && { signs }),
      payouts: { encryptedPin: this.#pin, perSecond: 100 },
    };
    const adapter = new AirtelRail({
      rails: { demo: settings, live: undefined },
      pushTimeoutMs,
      clock: new SystemClock(),
      timer: new SystemTimer(),
      randomBytes,
      metrics: new Metrics(),
      tokens: (options) => new OwnToken(options),
    });
    this.#adapters.push(adapter);
    return adapter;
  }
}

let made = 0;
const newId = (): string => {
  made += 1;
  return `AIR${made.toString().padStart(9, '0')}`;
};
const promptTo = (phone: string) =>
  ({
    mode: 'demo',
    phone,
    amountMinor: 25_000n,
    accountReference: newId(),
    callbackUrl: 'https://pay.example/rails/x',
  }) as const;
const orderTo = (phone: string) =>
  ({
    mode: 'demo',
    phone,
    amountMinor: 25_000n,
    originatorConversationId: newId(),
    resultUrl: 'https://pay.example/rails/r',
    timeoutUrl: 'https://pay.example/rails/t',
  }) as const;
const callback = (statusCode: string) =>
  JSON.stringify({ transaction: { id: 'PP0001', message: '', status_code: statusCode } });

describe.each([
  ['Airtel Money', { signing: 'v2' }, undefined],
  ['Airtel Money with signed collections', { signing: 'always' }, 'collections'],
  ['Airtel Money with everything signed', { signing: 'always', key_bits: '2048' }, 'all'],
] as const)('%s', (name, ways, signs) => {
  let scene: Scene;
  let adapter: AirtelRail;
  let unreachable: AirtelRail;
  beforeAll(async () => {
    scene = await Scene.begin(ways);
    adapter = scene.adapter(signs);
    unreachable = scene.adapter(signs, 'http://127.0.0.1:1');
  });
  afterAll(() => scene.stop());

  describeRail(name, {
    adapter: () => adapter,
    unreachable: () => unreachable,
    phones: { accepted: '254733000001', refused: '254733000009', unknown: '254733000022' },
    callbackUrl: () => 'https://pay.example/rails/x',
    promptsFor: () => scene.newPushes(),
    referenceOf: async (query) => {
      const phones: Readonly<Record<QueryCase, string>> = {
        paid: '254733000012',
        declined: '254733000004',
        unresolved: '254733000020',
      };
      const { accountReference: railReference, ...rest } = promptTo(phones[query]);
      await adapter.push({ ...rest, accountReference: railReference });
      await eventually(
        () => adapter.query({ mode: 'demo', railReference }),
        ({ kind }) => kind === query,
      );
      return railReference;
    },
    callbacks: {
      paid: callback('TS'),
      declined: callback('TF'),
      'unreadable amount': callback('TS'),
      'unreadable date': callback('TS'),
      none: '{"Body":{}}',
    },
    callbacksAreHints: true,
    pushTimeoutMs,
  });

  it(`${name}: a payout is made`, async () => {
    const order = orderTo('254733123456');
    expect(await adapter.payouts.canPay('demo')).toBe(true);
    expect(await adapter.payouts.pay(order)).toMatchObject({ kind: 'accepted' });
    const answer = await adapter.payouts.askAboutPayout(order);
    expect(
      typeof answer === 'object' && adapter.payoutReports.readAnswer(answer.raw),
    ).toMatchObject({ verdict: { kind: 'paid' } });
  });
});

describe('the ways in which Airtel may take signatures', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.begin({ signing: 'always' });
  });
  afterAll(() => scene.stop());
  afterEach(() => scene.airtel.set({ signed_payouts: 'accepted', key_bits: '1024' }));

  it('reject an unsigned push if a signature is needed', async () => {
    expect(await scene.adapter(undefined).push(promptTo('254733000001'))).toMatchObject({
      kind: 'refused',
      failureCode: 'rail_unauthorized',
    });
  });

  it('may refuse signed payouts, which are then refused and not paid', async () => {
    await scene.airtel.set({ signed_payouts: 'refused' });
    const before = await scene.airtel.says('/_stats');
    expect(await scene.adapter('all').payouts.pay(orderTo('254733123456'))).toMatchObject({
      kind: 'refused',
      failureCode: 'rail_unauthorized',
    });
    expect(await scene.airtel.says('/_stats')).toEqual(before);
    expect(await scene.adapter('collections').payouts.pay(orderTo('254733123456'))).toMatchObject({
      kind: 'accepted',
    });
  });

  it('may change the key’s length while the old key is in use', async () => {
    const adapter = scene.adapter('all');
    for (const bits of ['1024', '2048']) {
      await scene.airtel.set({ key_bits: bits });
      expect(await adapter.push(promptTo('254733000001'))).toMatchObject({ kind: 'accepted' });
    }
  });
});
