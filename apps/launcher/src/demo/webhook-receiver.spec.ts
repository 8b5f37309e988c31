import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { DemoReceiver } from './webhook-receiver.js';

const secret = 'w1';
const nowMs = Date.parse('2027-01-01T00:00:00Z');
const timestamp = String(nowMs / 1000);
const body = (sequence: number, filler = '') =>
  JSON.stringify({
    id: `e${sequence}`,
    type: 'collection.completed',
    sequence,
    filler,
    data: { reference: `INV-${sequence}`, amount_minor: 25_000, currency: 'KES' },
  });

describe('the demo’s receiver', () => {
  let receiver: DemoReceiver;
  let lines: string[];
  beforeEach(async () => {
    lines = [];
    const say = (line: string) => lines.push(line);
    receiver = await DemoReceiver.start({ port: 0, now: () => nowMs, say });
  });
  afterEach(() => receiver.close());

  const post = async (text: string, by = secret) => {
    const id = (JSON.parse(text) as { id: string }).id;
    const hex = createHmac('sha256', by).update(`${id}.${timestamp}.${text}`).digest('hex');
    const headers = {
      'PesaPost-Event-Id': id,
      'PesaPost-Timestamp': timestamp,
      'PesaPost-Signature': `v4=${hex}`,
    };
    return (await fetch(`${receiver.url}/webhooks`, { method: 'POST', headers, body: text }))
      .status;
  };
  const received = async () => {
    const answer = await fetch(`${receiver.url}/_received`);
    return ((await answer.json()) as { received: Record<string, unknown>[] }).received;
  };

  it('verifies, prints and shows what came, the newest last', async () => {
    receiver.useSecret(secret);
    expect(await receiver.hearsOf('INV-1', 0, AbortSignal.timeout(5000))).toBe(false);
    const heard = receiver.hearsOf('INV-1', 60_000, AbortSignal.timeout(60_000));
    expect(await post(body(1))).toBe(204);
    expect(await heard).toBe(true);
    expect(await post(body(2), 'another')).toBe(400);
    expect(lines).toEqual([
      'webhook    1 collection.completed INV-1, KES 250.00, verified',
      'webhook    refused: no_matching_signature',
    ]);
    expect(await received()).toEqual([
      {
        received_at: '2027-01-01T00:00:00.000Z',
        verified: true,
        problem: null,
        headers: {
          'pesapost-event-id': 'e1',
          'pesapost-timestamp': timestamp,
          'pesapost-signature': expect.stringMatching(/^v4=[0-9a-f]{64}$/) as unknown,
        },
        body: body(1),
      },
      expect.objectContaining({ verified: false, problem: 'no_matching_signature' }),
    ]);
  });

  it('asks for webhooks again while it has no secret', async () => {
    expect(await post(body(1))).toBe(503);
    receiver.useSecret(secret);
    expect(await post(body(1))).toBe(204);
  });

  it('keeps what is newest, and no more than its bound', async () => {
    receiver.useSecret(secret);
    const large = 'x'.repeat(60_000);
    for (let sequence = 1; sequence <= 300; sequence++) await post(body(sequence, large));
    const kept = await received();
    expect(kept.length).toBeGreaterThan(200);
    expect(kept.length).toBeLessThan(300);
    expect(kept.at(-1)).toMatchObject({ headers: { 'pesapost-event-id': 'e300' } });
    expect(await post(body(301, large + large))).toBe(413);
  });
});
