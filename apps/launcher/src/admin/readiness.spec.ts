import { describe, expect, it } from '@jest/globals';
import { mergeHealth } from './readiness.js';

const dependency = (status: 'ok' | 'error') => ({ status, latency_ms: 1 });

describe('health of all processes as one answer', () => {
  it('is ok if every process is, and lists the dependencies and what single processes add', () => {
    const merged = mergeHealth([
      {
        process: 'api',
        isOk: true,
        body: { status: 'ok', dependencies: { redis: dependency('ok') } },
      },
      {
        process: 'projector',
        isOk: true,
        body: { status: 'ok', dependencies: { postgres: dependency('ok') }, position: '7' },
      },
      { process: 'redis', isOk: true, body: undefined },
    ]);
    expect(merged).toEqual({
      status: 'ok',
      processes: { api: 'ok', projector: 'ok', redis: 'ok' },
      dependencies: { redis: dependency('ok'), postgres: dependency('ok') },
      position: '7',
    });
  });

  it('is an error if one process does not answer', () => {
    const merged = mergeHealth([
      { process: 'api', isOk: true, body: { status: 'ok' } },
      { process: 'worker', isOk: false, body: undefined },
    ]);
    expect(merged).toEqual({ status: 'error', processes: { api: 'ok', worker: 'error' } });
  });

  it('is degraded if a process reports so, and shows why', () => {
    const advisories = { audit_seal: dependency('error') };
    const merged = mergeHealth([
      { process: 'api', isOk: true, body: { status: 'degraded', advisories } },
      { process: 'worker', isOk: true, body: { status: 'ok' } },
    ]);
    expect(merged).toEqual({
      status: 'degraded',
      processes: { api: 'ok', worker: 'ok' },
      advisories,
    });
  });

  it('shows the worst answer if processes disagree about a dependency', () => {
    for (const order of [
      ['ok', 'error'],
      ['error', 'ok'],
    ] as const) {
      const merged = mergeHealth(
        order.map((status, index) => ({
          process: `process-${index}`,
          isOk: status === 'ok',
          body: { status, dependencies: { postgres: dependency(status) } },
        })),
      );
      expect(merged.dependencies).toEqual({ postgres: dependency('error') });
    }
  });
});
