import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Readable } from 'node:stream';
import { openClient } from '../src/connection-string.js';
import { GuardedClient, type OwnCall } from '../src/guarded-client.js';
import { ReadCall } from '../src/read-call.js';
import { encodeSubscription } from '../src/wire/read-request.js';
import { EmbeddedStore } from './embedded-store.js';
import { counted, openStore, type OpenStore, ownPrefix } from './subject.js';

/** More than are held for a consumer, and than go through the window at once. */
const events = 5000;
const perAppend = 500;

const prefix = ownPrefix();
let own: EmbeddedStore | undefined;
let open: OpenStore;
let client: GuardedClient;

beforeAll(async () => {
  own = process.env['EVENTSTORE_URL'] ? undefined : await EmbeddedStore.start();
  const url = process.env['EVENTSTORE_URL'] ?? own?.url ?? '';
  open = openStore(url);
  for (let n = 0; n < events; n += perAppend)
    await open.store.append(`${prefix}${n}`, 'no_stream', counted(perAppend, n));
  client = new GuardedClient(openClient(url, () => undefined));
});
afterAll(async () => {
  await client.close();
  await open.store.dispose();
  await own?.remove();
});

/** Begins the subscription, and counts what grpc-js hands on of it. */
function subscribed(isLong: boolean): { call: ReadCall; handedOn: () => number } {
  let count = 0;
  const open = <Stream extends Readable>(own: OwnCall<Stream>): Promise<Stream> =>
    client.open({ ...own, begin: (...on) => own.begin(...on).on('data', () => (count += 1)) });
  const request = encodeSubscription('start', [prefix], 500);
  const options = { request, requiresLeader: false, isLong };
  return { call: new ReadCall({ open } as GuardedClient, options), handedOn: () => count };
}

/** The numbers of the events up to where the subscription has caught up. */
async function numbersOf(call: ReadCall): Promise<number[]> {
  const numbers: number[] = [];
  for (let batch = await call.take(); batch; batch = await call.take())
    for (const message of batch) {
      if (message.kind === 'caught-up') {
        call.cancel();
        return numbers;
      }
      if (message.kind !== 'event' || !message.event) continue;
      numbers.push((JSON.parse(message.event.data.toString()) as { n: number }).n);
    }
  throw new Error('the subscription ended');
}

describe('the messages of a subscription', () => {
  it('are taken from below grpc-js but for the first, all of them and in order', async () => {
    const all = Array.from({ length: events }, (_, n) => n);
    const direct = subscribed(true);
    expect(await numbersOf(direct.call)).toEqual(all);
    expect(direct.handedOn()).toBe(1);
    const usual = subscribed(false);
    expect(await numbersOf(usual.call)).toEqual(all);
    expect(usual.handedOn()).toBeGreaterThan(events);
  });

  it('come of many subscriptions that begin at once on one connection', async () => {
    const many = Array.from({ length: 40 }, () => subscribed(true));
    const counts = await Promise.all(many.map(async ({ call }) => (await numbersOf(call)).length));
    expect(counts).toEqual(many.map(() => events));
  });
});
