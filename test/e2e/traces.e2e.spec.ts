import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { packageDirectory } from '#infra/runtime';
import {
  eventually,
  type OwnServers,
  pesapost,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type OtlpReceiver,
  type ReceivedSpan,
  startOtlpReceiver,
} from '../servers/otlp-receiver.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';
const phone = '254712345678';

let collector: OtlpReceiver;
let servers: OwnServers;
let service: Service;
let merchantServer: Server;
/** The headers of the webhooks that the merchant got. */
const webhooks: IncomingMessage['headers'][] = [];

beforeAll(async () => {
  collector = await startOtlpReceiver();
  merchantServer = createServer((request, response) => {
    webhooks.push(request.headers);
    request.resume();
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(merchantServer, 'listening');
  servers = await startOwnServers();
  service = await startService({
    ...servers.env,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-token=SECRET-1',
    OTEL_TRACES_SAMPLER_ARG: '1',
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_METRIC_EXPORT_INTERVAL: '1000',
    OTEL_LOGS_EXPORTER: 'otlp',
    WEBHOOK_ALLOW_PRIVATE: 'on',
  });
  const url = `http://127.0.0.1:${(merchantServer.address() as AddressInfo).port}/`;
  const of = ['--merchant', service.merchant.credentials.merchantId, '--mode', 'demo'];
  const why = ['--reason', 'spec', '--as', 'spec'];
  await pesapost(service.env, 'webhook', 'set', ...of, '--url', url, ...why);
});
afterAll(async () => {
  await service.stop();
  await servers.stop();
  merchantServer.close();
  await collector.stop();
});

/** Creates a collection with this traceparent. */
async function collect(reference: string, traceparent: string, to = phone): Promise<void> {
  const { accountNo } = service.merchant.credentials;
  const body = JSON.stringify({
    account_no: accountNo,
    phone: to,
    amount_minor: 10_000,
    currency: 'KES',
    channel: 'mpesa',
    reference,
  });
  const headers = { 'idempotency-key': randomUUID(), traceparent };
  const { status } = await service.merchant.send('POST', '/api/v4/collections', { body, headers });
  expect(status).toBe(202);
}

/** The trace, once it has a span of this name. */
function traceWith(name: string, id = traceId): Promise<readonly ReceivedSpan[]> {
  return eventually(
    () => Promise.resolve(collector.spans.filter((span) => span.traceId === id)),
    (spans) => spans.some((span) => span.name === name),
    { withinMs: 60_000 },
  );
}

describe('a trace', () => {
  it('extends from the merchant’s request through the posting to the webhook', async () => {
    await collect('TRACE-1', `00-${traceId}-${parentId}-00`);
    await eventually(
      () => Promise.resolve(webhooks),
      ({ length }) => length > 0,
      { withinMs: 60_000 },
    );
    await traceWith('webhook');
    const spans = await traceWith('rail callback');
    const named = (name: string) => spans.filter((span) => span.name === name);
    const [request, ...otherRequests] = named('POST /api/v4/collections');
    expect(otherRequests).toEqual([]);
    // The merchant's own span is its parent.
    expect(request).toMatchObject({
      service: 'pesapost-api',
      parentSpanId: parentId,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v4/collections',
        'http.response.status_code': 202,
        'pesapost.mode': 'demo',
      },
    });
    for (const span of spans.filter((each) => each !== request))
      expect([span.name, span.parentSpanId]).toEqual([span.name, request?.spanId]);
    expect(named('append').map(({ attributes }) => attributes['pesapost.events'])).toEqual(
      expect.arrayContaining([
        'CollectionIntentRecorded',
        'RailPushAccepted',
        'RailConfirmed,WalletPosted',
      ]),
    );
    expect(named('rail push')).toMatchObject([{ attributes: { 'pesapost.outcome': 'accepted' } }]);
    expect(named('rail callback')).toMatchObject([
      { service: 'pesapost-api', attributes: { 'pesapost.status': 'completed' } },
    ]);
    expect(
      named('project').map((span) => [span.service, span.attributes['pesapost.events']]),
    ).toContainEqual(['pesapost-projector', 'WalletPosted']);
    const [webhook] = named('webhook');
    expect(webhook).toMatchObject({
      service: 'pesapost-worker',
      attributes: { 'pesapost.outcome': 'delivered', 'http.response.status_code': 204 },
    });
    // The merchant can continue it.
    expect(webhooks[0]?.['traceparent']).toBe(`00-${traceId}-${webhook?.spanId}-01`);
  }, 300_000);

  it('is named by the events and the request’s log line, and by no other request', async () => {
    const { text } = await service.runCommand(['events', '--stream', 'collection-']);
    const events = text
      .split('\n')
      .filter((line) => line.includes('TRACE-1'))
      .map((line) => JSON.parse(line) as { type: string; metadata: { traceparent?: string } });
    expect(events.map(({ type }) => type)).toEqual([
      'CollectionIntentRecorded',
      'RailPushAccepted',
      'RailConfirmed',
      'WalletPosted',
    ]);
    const [context, ...others] = new Set(events.map(({ metadata }) => metadata.traceparent));
    expect(context).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    expect(others).toEqual([]);
    const lines = service.logLines().filter((line) => line.includes(`"trace_id":"${traceId}"`));
    expect(lines.map((line) => (JSON.parse(line) as { route: string }).route)).toEqual([
      '/api/v4/collections',
    ]);
  });

  it('has an id of ours if the merchant’s id could be a phone number', async () => {
    const digits = '00000000000000000000254712345678';
    await collect('TRACE-2', `00-${digits}-${parentId}-01`);
    const spans = await eventually(
      () =>
        Promise.resolve(collector.spans.filter(({ name }) => name === 'POST /api/v4/collections')),
      ({ length }) => length === 2,
      { withinMs: 60_000 },
    );
    expect(spans.map((span) => span.traceId)).not.toContain(digits);
    expect(spans.at(-1)).not.toHaveProperty('parentSpanId');
  }, 120_000);

  it('contains no phone number, reference, secret or callback address', () => {
    const { clientSecret, clientId } = service.merchant.credentials;
    const sent = collector.bodiesOf('traces').join('\n');
    expect(sent).toContain('POST /api/v4/collections');
    for (const secret of [
      phone,
      '712345678',
      'TRACE-',
      '/rails',
      clientSecret,
      clientId,
      'SECRET-1',
    ])
      expect([secret, sent.includes(secret)]).toEqual([secret, false]);
    expect(collector.lastHeaders()['x-collector-token']).toBe('SECRET-1');
  });

  it('is sent with metrics and log lines, if they are enabled', async () => {
    await eventually(
      () => Promise.resolve(collector.bodiesOf('metrics').join('\n')),
      (sent) =>
        [
          'http_requests_total',
          'append_seconds',
          'projector_events_total',
          'webhook_attempts_total',
        ].every((name) => sent.includes(`"pesapost_${name}"`)),
      { withinMs: 60_000 },
    );
    const logs = await eventually(
      () => Promise.resolve(collector.bodiesOf('logs').join('\n')),
      (sent) => sent.includes(`"traceId":"${traceId}"`),
      { withinMs: 60_000 },
    );
    expect(logs).toContain('"severityText":"info"');
    expect(logs).not.toContain('712345678');
    expect(logs).not.toContain('SECRET-1');
  }, 180_000);

  it('may be lost: payments continue while the collector fails', async () => {
    collector.answer(503);
    const before = webhooks.length;
    await collect('TRACE-3', `00-${traceId}-${parentId}-01`);
    await eventually(
      () => Promise.resolve(webhooks),
      ({ length }) => length > before,
      { withinMs: 60_000 },
    );
    collector.answer(200);
    for (const words of [['verify'], ['audit', 'check']])
      expect(await service.runCommand(words)).toMatchObject({ code: 0 });
  }, 300_000);
});

/** The text of a bundled program with all that it imports when it starts. */
async function startedWith(file: string, seen = new Set<string>()): Promise<string> {
  if (seen.has(file)) return '';
  seen.add(file);
  const text = await readFile(file, 'utf8');
  const imported = [...text.matchAll(/^(?:import|\} from|import .*? from) ?"(\.[^"]+)"/gm)];
  const parts = await Promise.all(
    imported.map(([, path = '']) => startedWith(join(dirname(file), path), seen)),
  );
  return [text, ...parts].join('\n');
}

it.each(['api', 'projector', 'worker'])(
  '%s loads the SDK only if a collector is named',
  async (app) => {
    const main = packageDirectory(`dist/apps/${app}/src/main.js`);
    const [own, started] = [await readFile(main, 'utf8'), await startedWith(main)];
    expect(started.length).toBeGreaterThan(own.length);
    expect(started).toContain('useTracing');
    expect(started).not.toContain('BatchSpanProcessor');
  },
);
