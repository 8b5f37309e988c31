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

describe('waiting until a collection is settled', () => {
  it('asks until it is, through silence and trouble', async () => {
    const trouble = refused(503, 'service_unavailable');
    service.turns = [item('pending'), trouble, 'cut the connection', item('failed')];
    const { collections } = client({ retries: { max: 0 } });
    await expect(collections.waitUntilSettled('INV-1')).resolves.toMatchObject({
      status: 'failed',
    });
  });

  it('ends when its time is up, also in the middle of a request, and tells what it saw last', async () => {
    service.turns = [item('pending'), 'say nothing'];
    const started = performance.now();
    const wait = client({ timeoutMs: 60_000 }).collections.waitUntilSettled('INV-1', {
      timeoutMs: 5_000,
    });
    expect(await failureOf(wait)).toMatchObject({
      code: 'not_settled',
      reference: 'INV-1',
      last: { status: 'pending' },
      attempts: 2,
    });
    expect(performance.now() - started).toBeLessThan(40_000);
  });

  it('does not wait for what is not there', async () => {
    service.turns = [refused(404, 'not_found')];
    const error = await failureOf(client().collections.waitUntilSettled('INV-1'));
    expect(error.code).toBe('not_found');
  });
});
