import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import fastify from 'fastify';
import { type WebhookEvent } from './verify-webhook.js';
import { type ReceiverOptions, webhookReceiver } from './webhook-receiver.js';

const secret = 'whsec_1';
const event = { id: 'e1', type: 'collection.completed', sequence: 1, data: { amount_minor: 5 } };
const body = JSON.stringify(event);

function headersOf(text: string): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000).toString();
  const hex = createHmac('sha256', secret).update(`e1.${timestamp}.${text}`).digest('hex');
  return {
    'content-type': 'application/json',
    'pesapost-event-id': 'e1',
    'pesapost-timestamp': timestamp,
    'pesapost-signature': `v4=${hex}`,
  };
}

const seen: WebhookEvent[] = [];
const told: string[] = [];
const options: ReceiverOptions = {
  secrets: secret,
  onEvent: (received) => seen.push(received),
  onRefused: ({ code }) => told.push(code),
  onError: (error) => told.push(String(error)),
};

const opened: Server[] = [];
afterEach(async () => {
  seen.splice(0);
  told.splice(0);
  for (const server of opened.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

async function listening(handler: (...both: never[]) => void): Promise<string> {
  const server = createServer(handler as never);
  opened.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function post(url: string, text = body, headers = headersOf(text)): Promise<number> {
  return (await fetch(url, { method: 'POST', headers, body: text })).status;
}

const tooLarge = JSON.stringify({ ...event, filler: 'x'.repeat(65_536) });

describe('a receiver in node:http', () => {
  it('passes on genuine webhooks', async () => {
    expect(await post(await listening(webhookReceiver(options).node))).toBe(204);
    expect(seen).toEqual([{ ...event, data: { amount_minor: 5n } }]);
  });

  it('rejects requests that are not genuine, and continues to serve', async () => {
    const url = await listening(webhookReceiver(options).node);
    expect(await post(url, body.replace('5', '6'), headersOf(body))).toBe(400);
    expect(await post(url, body, {})).toBe(400);
    expect((await fetch(url)).status).toBe(400);
    expect(told).toEqual(['no_matching_signature', 'missing_header', 'missing_header']);
    expect(await post(url)).toBe(204);
  });

  it('reads no more than its limit, and reports that', async () => {
    const url = await listening(webhookReceiver(options).node);
    expect(await post(url, tooLarge)).toBe(413);
    const unbounded = httpRequest(url, { method: 'POST' });
    unbounded.on('error', () => undefined);
    unbounded.write('x'.repeat(65_537));
    const [answer] = (await once(unbounded, 'response')) as [{ statusCode: number }];
    expect(answer.statusCode).toBe(413);
    unbounded.destroy();
    expect(seen).toEqual([]);
    const strict = webhookReceiver({ ...options, maxBodyBytes: body.length - 1 });
    expect(await post(await listening(strict.node))).toBe(413);
  });

  it('reports nothing if the sender disconnects', async () => {
    const url = await listening(webhookReceiver(options).node);
    const sending = httpRequest(url, { method: 'POST', headers: { 'content-length': '100' } });
    sending.on('error', () => undefined);
    sending.write('{"id":');
    const [server] = opened;
    if (server) await once(server, 'request');
    sending.destroy();
    expect(await post(url)).toBe(204);
    expect([told, seen.length]).toEqual([[], 1]);
  });

  it('asks for the event again if it could not be handled', async () => {
    const onEvent = () => Promise.reject(new Error('the database is away'));
    expect(await post(await listening(webhookReceiver({ ...options, onEvent }).node))).toBe(500);
    expect(told).toEqual(['Error: the database is away']);
  });

  it('reports an invalid secret as a setup error', async () => {
    expect(await post(await listening(webhookReceiver({ ...options, secrets: '' }).node))).toBe(
      500,
    );
    expect(told).toEqual([expect.stringMatching(/^TypeError: secrets must hold/)]);
  });
});

describe('a receiver under a framework', () => {
  const { node } = webhookReceiver(options);
  /** A request as Express passes it on: Node's own, with the result of a parser as the body. */
  const parsed = (by: (text: string) => unknown) =>
    listening((async (request: AsyncIterable<Uint8Array>, response: never) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) chunks.push(chunk);
      node(
        Object.assign(request, { body: by(Buffer.concat(chunks).toString()) }) as never,
        response,
      );
    }) as never);

  it('accepts the bytes that express.raw() leaves', async () => {
    expect(await post(await parsed((text) => Buffer.from(text)))).toBe(204);
    expect(seen).toHaveLength(1);
  });

  it('reports that express.json() ran first', async () => {
    expect(await post(await parsed((text) => JSON.parse(text) as unknown))).toBe(500);
    expect(told).toEqual([expect.stringMatching(/^TypeError: the body was parsed already/)]);
  });

  it('is five lines in Fastify', async () => {
    const app = fastify();
    const receiver = webhookReceiver(options);
    const raw = { parseAs: 'buffer' } as const;
    app.addContentTypeParser('application/json', raw, (_request, bytes, done) => {
      done(null, bytes);
    });
    app.post('/', async ({ headers, body: bytes }, reply) =>
      reply.code(await receiver.status({ headers, body: bytes as Buffer })).send(),
    );
    const status = async (payload: string, headers: Record<string, string>) =>
      (await app.inject({ method: 'POST', url: '/', payload, headers })).statusCode;
    expect(await status(body, headersOf(body))).toBe(204);
    expect(await status(body, { 'content-type': 'application/json' })).toBe(400);
    expect(await status(tooLarge, headersOf(tooLarge))).toBe(413);
    expect(seen).toHaveLength(1);
    await app.close();
  });

  it('answers a Request with a Response', async () => {
    const receiver = webhookReceiver(options);
    const status = async (text: string, headers: Record<string, string>) => {
      const request = new Request('http://shop.example/', { method: 'POST', headers, body: text });
      return (await receiver.fetch(request)).status;
    };
    expect(await status(body, headersOf(body))).toBe(204);
    expect(await status(body, {})).toBe(400);
    expect(await status(tooLarge, headersOf(tooLarge))).toBe(413);
    expect((await receiver.fetch(new Request('http://shop.example/'))).status).toBe(400);
    expect(seen).toHaveLength(1);
  });
});
