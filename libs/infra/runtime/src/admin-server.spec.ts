import { DependencyUnavailable } from '#domain/kernel';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type AdminServer, type AdminServerOptions, Metrics, startAdminServer } from './index.js';

let server: AdminServer | undefined;
afterEach(async () => {
  await server?.close();
});

async function eventually(isSo: () => boolean): Promise<void> {
  for (const end = performance.now() + 60_000; !isSo() && performance.now() < end;)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

async function answerOf(path: string, options: Partial<AdminServerOptions> = {}) {
  const metrics = new Metrics();
  metrics.counter({ name: 'pushes_total', help: 'Pushes', labels: ['outcome'] }).inc({
    outcome: 'accepted',
  });
  server = await startAdminServer({
    host: '127.0.0.1',
    port: 0,
    registry: metrics.registry,
    checks: {},
    ...options,
  });
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
  return { status: response.status, text: await response.text() };
}

describe('the admin server', () => {
  it('is ready while every dependency answers, and reports its latency and details', async () => {
    const { status, text } = await answerOf('/health/ready', {
      checks: {
        postgres: () => Promise.resolve(undefined),
        redis: () => Promise.resolve({ policy: 'noeviction' }),
      },
      extra: () => ({ projector_lag_ms: 12 }),
    });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      status: 'ok',
      dependencies: {
        postgres: { status: 'ok', latency_ms: expect.any(Number) as unknown },
        redis: { status: 'ok', policy: 'noeviction', latency_ms: expect.any(Number) as unknown },
      },
      projector_lag_ms: 12,
    });
  });

  it('is not ready, but alive, if a dependency fails or does not answer in time', async () => {
    const checks = {
      postgres: () => Promise.resolve(undefined),
      redis: () => Promise.reject(new DependencyUnavailable('redis', 'at 10.0.0.1')),
      store: () => new Promise<never>(() => undefined),
      odd: () => {
        throw new TypeError('thrown, not rejected');
      },
    };
    const { status, text } = await answerOf('/health/ready', { checks, checkDeadlineMs: 50 });
    expect(status).toBe(503);
    expect(JSON.parse(text)).toMatchObject({
      status: 'error',
      dependencies: {
        postgres: { status: 'ok' },
        redis: { status: 'error', error: 'DependencyUnavailable' },
        store: { status: 'error', error: 'DeadlineExceeded' },
        odd: { status: 'error', error: 'TypeError' },
      },
    });
    expect(text).not.toContain('10.0.0.1');
    await server?.close();
    expect((await answerOf('/health/live', { checks })).status).toBe(200);
  });

  it('stays ready for all requests while an advisory fails, and names it', async () => {
    const options = {
      checks: { postgres: () => Promise.resolve(undefined) },
      advisories: {
        audit_seal: () => Promise.reject(new DependencyUnavailable('postgres', 'secret')),
      },
      parts: { rails: ['postgres'] },
    };
    const { status, text } = await answerOf('/health/ready', options);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      status: 'degraded',
      dependencies: { postgres: { status: 'ok' } },
      advisories: { audit_seal: { status: 'error', error: 'DependencyUnavailable' } },
    });
    await server?.close();
    const rails = await answerOf('/health/ready/rails', options);
    expect(JSON.parse(rails.text)).toMatchObject({ status: 'ok' });
    expect(rails.text).not.toContain('advisories');
  });

  it('is not ready if a dependency fails, whatever its advisories report', async () => {
    const { status, text } = await answerOf('/health/ready', {
      checks: { postgres: () => Promise.reject(new Error('down')) },
      advisories: { audit_seal: () => Promise.resolve(undefined) },
    });
    expect([status, (JSON.parse(text) as { status: string }).status]).toEqual([503, 'error']);
  });

  it('asks a dependency once for all concurrent probes, and ends a call that no probe waits for', async () => {
    const signals: AbortSignal[] = [];
    const store = (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<never>(() => undefined);
    };
    const first = answerOf('/health/ready', { checks: { store }, checkDeadlineMs: 5000 });
    await eventually(() => signals.length === 1);
    const url = `http://127.0.0.1:${server?.port ?? 0}/health/ready`;
    const more = await Promise.all(Array.from({ length: 5 }, () => fetch(url)));
    expect(more.map(({ status }) => status)).toEqual(Array(5).fill(503));
    expect((await first).status).toBe(503);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('shows the process’s metrics and ours', async () => {
    const { status, text } = await answerOf('/metrics');
    expect(status).toBe(200);
    expect(text).toContain('pesapost_pushes_total{outcome="accepted"} 1');
    expect(text).toContain('process_resident_memory_bytes');
  });
});

describe('metrics', () => {
  it('with one name are the same metric, and a gauge is computed when it is read', async () => {
    const metrics = new Metrics();
    const counter = metrics.counter({ name: 'twice_total', help: 'Twice' });
    metrics.counter({ name: 'twice_total', help: 'Twice' }).inc();
    counter.inc();
    metrics.gauge({ name: 'lag_seconds', help: 'Lag', collect: () => Promise.resolve(1.5) });
    metrics.histogram({ name: 'push_seconds', help: 'Push', buckets: [1] }).observe(0.5);
    const text = await metrics.registry.metrics();
    expect(text).toContain('pesapost_twice_total 2');
    expect(text).toContain('pesapost_lag_seconds 1.5');
    expect(text).toContain('pesapost_push_seconds_bucket{le="1"} 1');
  });
});
