import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { clientOf, failureOf, item, refused } from '../../test/fixtures.js';
import { ScriptedService } from '../../test/scripted-service.js';
import { type PesaPostOptions } from '../options.js';

let service: ScriptedService;
beforeEach(async () => {
  service = await ScriptedService.start();
});
afterEach(() => service.stop());

const client = (options: Partial<PesaPostOptions> = {}) => clientOf(service, options);

describe('the token', () => {
  it('is fetched once for all callers that wait for it', async () => {
    service.turns = [item('pending')];
    const one = client();
    await Promise.all(Array.from({ length: 10 }, () => one.collections.get('INV-1')));
    expect([service.requests.length, service.tokenRequests.length]).toEqual([10, 1]);
  });

  it('is renewed a minute before it expires', async () => {
    service.turns = [item('pending')];
    let nowMs = Date.now();
    const one = client({ now: () => nowMs });
    await one.collections.get('INV-1');
    nowMs += 3_539_000;
    await one.collections.get('INV-1');
    expect(service.tokenRequests).toHaveLength(1);
    nowMs += 1_000;
    await one.collections.get('INV-1');
    expect(service.tokenRequests).toHaveLength(2);
    expect(service.requests.at(-1)?.headers['authorization']).toBe('Bearer token-2');
  });

  it('is renewed after nine tenths of its lifetime if that is short (SDK-8)', async () => {
    service.turns = [item('pending')];
    service.tokenTurns = [{ status: 200, body: { access_token: 'short', expires_in: 100 } }];
    let nowMs = Date.now();
    const one = client({ now: () => nowMs });
    await one.collections.get('INV-1');
    nowMs += 89_999;
    await one.collections.get('INV-1');
    expect(service.tokenRequests).toHaveLength(1);
    nowMs += 1;
    await one.collections.get('INV-1');
    expect(service.tokenRequests).toHaveLength(2);
  });

  it('is renewed once if the service rejects it, by one request for all calls', async () => {
    service.turns = [item('pending')];
    const one = client();
    await one.collections.get('INV-1');
    const refusal = refused(401, 'invalid_token');
    service.turns = [refusal, refusal, refusal, item('completed')];
    const calls = Array.from({ length: 3 }, () => one.collections.get('INV-1'));
    for (const { status } of await Promise.all(calls)) expect(status).toBe('completed');
    expect(service.tokenRequests).toHaveLength(2);
  });

  it('is not renewed a second time in one call', async () => {
    service.turns = [refused(401, 'invalid_token')];
    const error = await failureOf(client().collections.get('INV-1'));
    expect(error).toMatchObject({ code: 'invalid_token', kind: 'authentication' });
    expect([service.requests.length, service.tokenRequests.length]).toEqual([2, 2]);
  });

  it('fails the call with its own error if it cannot be fetched, and the next call fetches it again', async () => {
    service.turns = [item('pending')];
    service.tokenTurns = [refused(401, 'invalid_client')];
    const one = client();
    expect(await failureOf(one.collections.get('INV-1'))).toMatchObject({ code: 'invalid_client' });
    await expect(one.collections.get('INV-1')).resolves.toMatchObject({ status: 'pending' });
  });

  it('is fetched again within a call if the token service was unreachable', async () => {
    service.turns = [item('pending')];
    service.tokenTurns = ['cut the connection', refused(503, 'service_unavailable')];
    await expect(client().collections.get('INV-1')).resolves.toMatchObject({ status: 'pending' });
    expect(service.tokenRequests).toHaveLength(3);
  });
});
