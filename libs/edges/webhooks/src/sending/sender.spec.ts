import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, authority, Receiver, status } from '../../test/receiver.js';
import { type SenderOptions, WebhookSender } from './sender.js';

let plain: Receiver;
let secure: Receiver;
const senders: WebhookSender[] = [];
beforeAll(async () => {
  [plain, secure] = await Promise.all([Receiver.start(), Receiver.start('https')]);
});
afterEach(() => Promise.all(senders.splice(0).map((sender) => sender.close())));
afterAll(() => Promise.all([plain.stop(), secure.stop()]));

/** Longer than any pause of a busy machine. */
const limits = { statusWithinMs: 60_000, bodyWithinMs: 60_000 };
/** For what waits for the end of its time, once the webhook was sent. */
const short = { statusWithinMs: 5000, bodyWithinMs: 200 };
function sender(options: Partial<SenderOptions> = {}): WebhookSender {
  const made = new WebhookSender({ allowPrivate: true, maxConnections: 4, limits, ...options });
  senders.push(made);
  return made;
}
function post(by: WebhookSender, url: string) {
  return by.send('an endpoint', { url, headers: { 'x-one': '1' }, body: '{"a":"ä"}' });
}

describe('a webhook that is sent', () => {
  it('is one POST of the body’s bytes with its headers', async () => {
    const sent = await post(sender(), plain.url('/here?a=b'));
    expect(sent).toMatchObject({ outcome: 'delivered', status: 200 });
    const [received, ...others] = plain.at('/here?a=b');
    expect(others).toEqual([]);
    expect(received?.body).toBe('{"a":"ä"}');
    expect(received?.headers).toMatchObject({
      'x-one': '1',
      'content-type': 'application/json',
      'content-length': '10',
    });
  });

  it('uses a kept-alive connection', async () => {
    const [by, before] = [sender(), plain.connections];
    for (let sent = 0; sent < 5; sent += 1) await post(by, plain.url('/kept'));
    expect(plain.connections - before).toBeLessThanOrEqual(2);
  });

  it('uses as many connections as its endpoint may have, and no more', async () => {
    const [by, before] = [sender(), plain.connections];
    const sent = Array.from({ length: 20 }, () => post(by, plain.url('/many')));
    expect((await Promise.all(sent)).every((one) => one?.outcome === 'delivered')).toBe(true);
    expect(plain.connections - before).toBeLessThanOrEqual(4);
  });
});

/** Answers with some bytes, and with the rest later. */
const slowly: (first: string, then: string) => Answer = (first, then) => (socket) => {
  socket.write(first);
  const writing = setInterval(() => socket.write(then), 20);
  socket.on('close', () => {
    clearInterval(writing);
  });
};

describe('the outcome of a webhook', () => {
  it.each<[string, Answer, object]>([
    ['does not answer', () => undefined, { outcome: 'timeout' }],
    ['closes the connection', (socket) => socket.end(), { outcome: 'connection' }],
    ['resets the connection', (socket) => socket.resetAndDestroy(), { outcome: 'connection' }],
    ['answers no HTTP', (socket) => socket.end('hello\r\n\r\n'), { outcome: 'connection' }],
    [
      'gives its headers byte by byte',
      slowly('HTTP/1.1 200 OK\r\nx: ', 'x'),
      { outcome: 'timeout' },
    ],
    ['only ever informs', slowly('', 'HTTP/1.1 102 Processing\r\n\r\n'), { outcome: 'timeout' }],
    ['redirects', status(302, 'location: /elsewhere\r\n'), { outcome: 'redirect', status: 302 }],
    ['redirects for good', status(308, 'location: /elsewhere\r\n'), { outcome: 'redirect' }],
    ['fails', status(500), { outcome: 'status', status: 500 }],
    ['lets nobody in', status(401), { outcome: 'status', status: 401 }],
    ['knows no such path', status(404), { outcome: 'status', status: 404 }],
    ['has too much to do', status(429), { outcome: 'status', status: 429 }],
    ['refuses the event', status(400), { outcome: 'refused', status: 400 }],
    ['cannot process the event', status(422), { outcome: 'refused', status: 422 }],
    ['is gone', status(410), { outcome: 'gone', status: 410 }],
    ['says no more than the status', status(204), { outcome: 'delivered', status: 204 }],
    [
      'gives its body byte by byte',
      slowly('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n', 'x'),
      { outcome: 'delivered', status: 200 },
    ],
    [
      'breaks off within the body',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nx'),
      { outcome: 'delivered', status: 200 },
    ],
  ])(
    'is reported in time, after a single request, if the endpoint %s',
    async (name, answer, expected) => {
      const path = `/${name.replaceAll(' ', '-')}`;
      plain.answers.set(path, answer);
      const startedAt = performance.now();
      expect(await post(sender({ limits: short }), plain.url(path))).toMatchObject(expected);
      expect(performance.now() - startedAt).toBeLessThan(60_000);
      expect(plain.at(path)).toHaveLength(1);
      expect(plain.at('/elsewhere')).toEqual([]);
    },
  );

  it('is a delivery despite gigabytes after a 200; the body is cut off, and the next webhook is sent', async () => {
    let written = 0;
    plain.answers.set('/gigabytes', (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4000000000\r\n\r\n');
      const chunk = Buffer.alloc(64 * 1024);
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk)) written += chunk.length;
        written += chunk.length;
      };
      socket.on('drain', more);
      more();
    });
    const by = sender({ limits: { ...limits, bodyWithinMs: 200 } });
    expect(await post(by, plain.url('/gigabytes'))).toMatchObject({ outcome: 'delivered' });
    const before = written;
    await sleep(100);
    // Only as much as the buffers of both ends take.
    expect(written).toBeLessThan(16 * 1024 * 1024);
    expect(written).toBe(before);
    expect(await post(by, plain.url('/after'))).toMatchObject({ outcome: 'delivered' });
  });

  it('is a connection failure if no server listens at the endpoint', async () => {
    const gone = await Receiver.start();
    await gone.stop();
    expect(await post(sender(), gone.url('/'))).toMatchObject({ outcome: 'connection' });
  });

  it('is a connection failure if the host name is unknown', async () => {
    const unknown = () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }));
    const by = sender({ resolve: unknown });
    expect(await post(by, 'https://nobody.example/')).toMatchObject({ outcome: 'connection' });
  });

  it('is a timeout if the host name takes forever to resolve', async () => {
    const by = sender({ limits: short, resolve: () => new Promise(() => undefined) });
    expect(await post(by, 'https://slow.example/')).toMatchObject({ outcome: 'timeout' });
  });
});

describe('a certificate', () => {
  it('is accepted if a trusted authority signed it for the name', async () => {
    const by = sender({ ca: authority });
    expect(await post(by, secure.url('/tls'))).toMatchObject({ outcome: 'delivered' });
  });

  it('is rejected if no trusted authority signed it', async () => {
    expect(await post(sender(), secure.url('/self'))).toMatchObject({ outcome: 'tls' });
    expect(secure.at('/self')).toEqual([]);
  });

  it('is rejected if it is for another name', async () => {
    const by = sender({ ca: authority, resolve: () => Promise.resolve(['127.0.0.1']) });
    const url = secure.url('/other', 'shop.example');
    expect(await post(by, url)).toMatchObject({ outcome: 'tls' });
    expect(secure.at('/other')).toEqual([]);
  });

  it('is required even of a server without TLS', async () => {
    const url = plain.url('/none').replace('http:', 'https:');
    expect(await post(sender(), url)).toMatchObject({ outcome: 'tls' });
  });
});

describe('an address that is not public', () => {
  const strict = (addresses: readonly string[]) =>
    sender({
      allowPrivate: false,
      ca: authority,
      resolve: () => Promise.resolve(addresses),
    });
  const refused = { outcome: 'address_not_allowed' };

  it.each(['127.0.0.1', '2130706433', '0x7f.1', '017700000001', '[::1]', '[::ffff:127.0.0.1]'])(
    'is not connected to as %s',
    async (host) => {
      const before = secure.connections;
      expect(await post(strict(['8.8.8.8']), secure.url('/', host))).toMatchObject(refused);
      expect(secure.connections).toBe(before);
    },
  );

  it('is not connected to by a name', async () => {
    const before = secure.connections;
    for (const addresses of [['127.0.0.1'], ['::1', '10.0.0.1'], ['169.254.169.254'], []])
      expect(await post(strict(addresses), secure.url('/'))).toMatchObject(refused);
    expect(secure.connections).toBe(before);
  });

  it('is not connected to by a name that had a public one when it was asked before', async () => {
    const [before, answers] = [secure.connections, [['8.8.8.8'], ['127.0.0.1']]];
    const asked: string[][] = [];
    const by = sender({
      allowPrivate: false,
      ca: authority,
      resolve: () => {
        const answer = answers.shift() ?? [];
        asked.push(answer);
        return Promise.resolve(answer);
      },
      // The public address stands for a host that does not answer here.
      limits: { statusWithinMs: 200 },
    });
    expect(await post(by, secure.url('/'))).not.toMatchObject({ outcome: 'delivered' });
    expect(await post(by, secure.url('/'))).toMatchObject(refused);
    expect(asked).toHaveLength(2);
    expect(secure.connections).toBe(before);
  });

  it('is skipped if the name has an allowed one, too', async () => {
    const by = sender({
      allowPrivate: false,
      ca: authority,
      resolve: () => Promise.resolve(['10.0.0.1', '127.0.0.1']),
      isAllowed: (address) => address === '127.0.0.1',
    });
    expect(await post(by, secure.url('/beside'))).toMatchObject({ outcome: 'delivered' });
  });

  it('plain http is refused, too, without WEBHOOK_ALLOW_PRIVATE', async () => {
    expect(await post(strict(['8.8.8.8']), 'http://shop.example/')).toMatchObject(refused);
    expect(await post(sender(), 'ftp://shop.example/')).toMatchObject(refused);
    expect(await post(sender(), 'no url')).toMatchObject(refused);
  });
});

it('a sender that is closed reports no outcome for what it cut off', async () => {
  plain.answers.set('/cut', () => undefined);
  const by = sender();
  const sent = post(by, plain.url('/cut'));
  while (plain.at('/cut').length === 0) await sleep(10);
  await by.close();
  expect(await sent).toBeUndefined();
});
