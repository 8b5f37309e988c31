import { createLogger, Metrics } from '#infra/runtime';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { SecurityLog } from './security-log.js';

interface Line {
  readonly log: string;
  readonly code: string;
  readonly address: string;
  readonly dropped?: number;
}

let lines: Line[];
let nowMs: number;
let metrics: Metrics;
let log: SecurityLog;
beforeEach(() => {
  [lines, nowMs, metrics] = [[], 0, new Metrics()];
  const destination = { write: (text: string) => void lines.push(JSON.parse(text) as Line) };
  log = new SecurityLog(createLogger({ app: 'spec', destination }), metrics, () => nowMs);
});

const refuse = (address: string, code = 'invalid_token') => {
  const [method, route, requestId] = ['GET', '/api/v4/transactions', 'r-1'];
  log.refused({ code, status: 401, method, route, requestId, address, credentialId: 'c-1' });
};

describe('the security log', () => {
  it('names code, address, credential, route and request of a refusal', () => {
    refuse('198.51.100.7');
    expect(lines).toEqual([
      expect.objectContaining({
        level: 'warn',
        log: 'security',
        code: 'invalid_token',
        status: 401,
        address: '198.51.100.7',
        credentialId: 'c-1',
        route: '/api/v4/transactions',
        requestId: 'r-1',
      }),
    ]);
  });

  it('is bounded for each source and code, and says how many it left out', async () => {
    for (let n = 0; n < 1000; n += 1) refuse('198.51.100.7');
    expect(lines).toHaveLength(5);
    refuse('198.51.100.7', 'invalid_signature');
    refuse('198.51.100.8');
    expect(lines).toHaveLength(7);
    nowMs += 10_000;
    refuse('198.51.100.7');
    expect(lines.at(-1)).toMatchObject({ address: '198.51.100.7', dropped: 995 });
    refuse('198.51.100.7');
    expect(lines).toHaveLength(8);
    const page = await metrics.registry.metrics();
    expect(page).toMatch(/^pesapost_security_log_dropped_total 996$/m);
  });

  it('is bounded in all: addresses without number do not fill it', () => {
    for (let n = 0; n < 50_000; n += 1) refuse(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
    expect(lines).toHaveLength(100);
    nowMs += 1000;
    for (let n = 0; n < 1000; n += 1) refuse(`192.0.${n >> 8}.${n & 255}`);
    expect(lines).toHaveLength(120);
  });

  it('takes the /64 of an IPv6 address for one source', () => {
    for (let n = 0; n < 100; n += 1) refuse(`2001:db8::${n.toString(16)}`);
    expect(lines).toHaveLength(5);
  });
});
