import { END, type EventStoreDBClient, TimeoutError } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { newStream, someEvent, someEvents } from '../test/events.js';
import { follow } from '../test/follow.js';
import { connect, type StoreProcess, useStore } from '../test/store-process.js';

let store: StoreProcess;
let client: EventStoreDBClient;

useStore((started) => {
  store = started;
  client = store.client;
});

describe('a live subscriber that is too slow', () => {
  it('is dropped by one append of a thousand events, and finds them when it comes back', async () => {
    const followed = follow(client.subscribeToAll({ fromPosition: END }));
    await followed.until(() => followed.state.caughtUp === 1);
    const { position } = await client.appendToStream(newStream(), someEvent('Before'));
    await followed.until(() => followed.events.length === 1);
    await client.appendToStream(newStream(), someEvents(1000, 'Flood'));
    await followed.until(() => followed.state.error !== undefined);
    expect(followed.state.error).toBeInstanceOf(TimeoutError);
    expect(followed.state.error).toMatchObject({
      code: 10,
      message: expect.stringContaining('Consumer too slow'),
    });
    const last = followed.events.at(-1)?.commitPosition ?? position?.commit ?? 0n;
    const again = follow(client.subscribeToAll({ fromPosition: { commit: last, prepare: last } }));
    await again.until(() => again.state.caughtUp === 1);
    await again.subscription.unsubscribe();
    expect(followed.events.length - 1 + again.events.length).toBe(1000);
  });

  it('is dropped when it stops reading, while others follow on', async () => {
    const sluggish = connect(store.port);
    const stopped = sluggish.subscribeToAll({ fromPosition: END });
    const failed = new Promise<unknown>((resolve) => {
      (stopped as unknown as NodeJS.EventEmitter).on('error', resolve);
    });
    const followed = follow(client.subscribeToAll({ fromPosition: END }));
    await followed.until(() => followed.state.caughtUp === 1);
    const text = 'x'.repeat(8192);
    for (let at = 0; at < 250; at++) {
      await client.appendToStream(newStream(), { ...someEvent(), data: { text } });
    }
    await followed.until(() => followed.events.length === 250);
    await followed.subscription.unsubscribe();
    stopped.resume();
    expect(await failed).toBeInstanceOf(TimeoutError);
    await sluggish.dispose();
  });

  it('is not one who reads as fast as appends come, 64 at once', async () => {
    const followed = follow(client.subscribeToAll({ fromPosition: END }));
    await followed.until(() => followed.state.caughtUp === 1);
    const writer = connect(store.port);
    for (let round = 0; round < 5; round++) {
      await Promise.all(
        Array.from({ length: 48 }, () => writer.appendToStream(newStream(), someEvent())),
      );
      await followed.until(() => followed.events.length >= (round + 1) * 48);
    }
    await followed.subscription.unsubscribe();
    await writer.dispose();
    expect(followed.state.error).toBeUndefined();
  });
});
