import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type PushOutcome } from '#domain/rails';
import { Rails } from '#edges/rails';
import { Metrics, SystemClock, SystemTimer } from '#infra/runtime';
import { Keyring, readToken } from '#shared/signing';
import { alertsFiredBy } from '../../../../test/servers/alerts.js';
import {
  error,
  FakeDaraja,
  hang,
  json,
  OwnToken,
  reset,
  type Script,
  subscribers,
} from '../../../../test/rail/fake-daraja.js';
import { noAnswers, settingsAt } from '../test/daraja-settings.js';
import { DarajaRail } from './daraja-rail.js';

const acceptance = {
  MerchantRequestID: '1-2-3',
  CheckoutRequestID: 'ws_CO_1',
  ResponseCode: '0',
  ResponseDescription: 'Success',
};
const accepted = { kind: 'accepted', railReference: 'ws_CO_1', merchantRequestId: '1-2-3' };
const accept = json(200, acceptance);
/** Day, time and a tenth of a second, as Daraja writes them. */
const digitsOfTime = '230920262019337';
const keyring = Keyring.from([{ id: 'k1', bytes: Buffer.alloc(32, 7) }]);
const stream = 'collection-demo:m1:order-1';
const request = {
  channel: 'mpesa',
  mode: 'demo',
  stream,
  phone: '254712345678',
  amountMinor: 25_000n,
  accountReference: '0123456789AB',
} as const;
/** A push's deadline that no busy machine reaches, and one that a test can wait for once the push was sent. */
const [longMs, shortMs] = [60_000, 5_000];
/** How late an answer after the deadline may be. */
const lateAnswerMs = 60_000;

let daraja: FakeDaraja;
let port: number;
let rails: Rails[] = [];

interface Patience {
  readonly pushTimeoutMs?: number;
  readonly late?: number;
}

function railAt(
  url: string,
  metrics = new Metrics(),
  { pushTimeoutMs = longMs, late = lateAnswerMs }: Patience = {},
): Rails {
  const daraja = new DarajaRail({
    rails: { demo: settingsAt(url), live: undefined },
    subscribers,
    pushTimeoutMs,
    lateAnswerMs: late,
    clock: new SystemClock(),
    timer: new SystemTimer(),
    tokens: (options) => new OwnToken(options),
    metrics,
  });
  const options = { baseUrl: 'https://pay.example', keyring, metrics, answers: noAnswers };
  const rail = new Rails([daraja], options);
  rails.push(rail);
  return rail;
}
const rail = (metrics?: Metrics) => railAt(`http://127.0.0.1:${port}`, metrics);
/** A rail whose pushes end soon. */
const hasty = (late?: number) =>
  railAt(`http://127.0.0.1:${port}`, new Metrics(), {
    pushTimeoutMs: shortMs,
    ...(late !== undefined && { late }),
  });
/** An answer that comes when the test lets it. */
function heldBack(script: Script): { readonly script: Script; readonly letGo: () => void } {
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  return {
    script: (response, request) => {
      void held.then(() => {
        script(response, request);
      });
    },
    letGo: () => {
      letGo();
    },
  };
}
const lateOf = (outcome: PushOutcome) => {
  expect(outcome.kind).toBe('unknown');
  return outcome.kind === 'unknown' ? outcome.late : undefined;
};

beforeEach(async () => {
  daraja = new FakeDaraja();
  port = await daraja.listen();
});
afterEach(async () => {
  await Promise.all(rails.map((each) => each.close()));
  rails = [];
  await daraja.close();
});

describe('a push', () => {
  it('returns the rail’s ids when accepted, and seals the stream’s name in its callback URL', async () => {
    daraja.pushes(accept);
    expect(await rail().push(request)).toEqual(accepted);
    expect(daraja.seen.map(({ path, authorization }) => [path, authorization])).toEqual([
      ['/oauth/v1/generate', `Basic ${Buffer.from('key:secret').toString('base64')}`],
      ['/mpesa/stkpush/v1/processrequest', 'Bearer token-1'],
    ]);
    const body = JSON.parse(daraja.pushed[0]?.body ?? '') as Record<string, string>;
    const [base, token] = (body['CallBackURL'] ?? '').split('/rails/');
    expect([base, readToken(keyring, token ?? '')]).toEqual([
      'https://pay.example',
      { kind: 'stream', stream },
    ]);
    expect(body).toMatchObject({ Amount: '250', PartyA: '254712345678' });
  });

  it('has a reference without the customer’s number from its id, and a query sends the full id', async () => {
    const id = `ws_CO_${digitsOfTime}${request.phone.slice(-9)}`;
    const accepting = json(200, { ...acceptance, CheckoutRequestID: id });
    const answer = heldBack(accepting);
    daraja.pushes(accepting, answer.script);
    const mpesa = hasty();
    const taken = await mpesa.push(request);
    const late = lateOf(await mpesa.push(request));
    answer.letGo();
    expect(await late).toEqual(taken);
    const { railReference } = taken as { railReference: string };
    expect(railReference).toMatch(new RegExp(`^ws_CO_${digitsOfTime}~[A-Za-z0-9_-]{22}$`));
    const paid = { ResponseCode: '0', ResultCode: '0', CheckoutRequestID: id };
    daraja.queries(json(200, paid));
    expect(await mpesa.query({ channel: 'mpesa', mode: 'demo', railReference })).toMatchObject({
      kind: 'paid',
    });
    expect(JSON.parse(daraja.queried[0]?.body ?? '')).toMatchObject({ CheckoutRequestID: id });
  });

  it('reaches a rail whose URL has a path', async () => {
    daraja.scripts.set(
      '/sandbox/oauth/v1/generate',
      daraja.scripts.get('/oauth/v1/generate') ?? [],
    );
    daraja.scripts.set('/sandbox/mpesa/stkpush/v1/processrequest', [accept]);
    const outcome = await railAt(`http://127.0.0.1:${port}/sandbox`).push(request);
    expect(outcome).toEqual(accepted);
  });

  it.each([
    [400, '400.002.02', 'invalid_request'],
    [500, '500.001.1001', 'rail_refused'],
    [500, '500.003.03', 'rail_quota_exceeded'],
  ])(
    'is refused and not sent again if the rail answers %p %s',
    async (status, code, failureCode) => {
      daraja.pushes(error(status, code));
      expect(await rail().push(request)).toEqual({ kind: 'refused', failureCode });
      expect(daraja.pushed).toHaveLength(1);
    },
  );

  it('is sent again later after a spike arrest', async () => {
    daraja.pushes(error(500, '500.003.02'), error(500, '500.003.02'), accept);
    expect(await rail().push(request)).toEqual(accepted);
    expect(daraja.pushed).toHaveLength(3);
  });

  it('is refused within the deadline if every attempt meets a spike arrest', async () => {
    daraja.pushes(error(500, '500.003.02'));
    const start = performance.now();
    expect(await hasty().push(request)).toEqual({ kind: 'refused', failureCode: 'rail_busy' });
    expect(performance.now() - start).toBeLessThan(longMs);
    expect(daraja.pushed.length).toBeGreaterThan(1);
  });

  it.each([
    [404, '404.001.03'],
    [400, '400.003.01'],
    [401, '401.002.01'],
  ])(
    'is sent once more with a new token if the token is refused with %p %s',
    async (status, code) => {
      daraja.pushes(error(status, code), accept);
      expect(await rail().push(request)).toEqual(accepted);
      expect(daraja.pushed.map(({ authorization }) => authorization)).toEqual([
        'Bearer token-1',
        'Bearer token-2',
      ]);
    },
  );

  it('is refused if the new token is refused, too', async () => {
    daraja.pushes(error(404, '404.001.03'));
    expect(await rail().push(request)).toEqual({
      kind: 'refused',
      failureCode: 'rail_unauthorized',
    });
    expect(daraja.pushed).toHaveLength(2);
  });

  it('is refused within the deadline if no connection can be made', async () => {
    await daraja.close();
    const start = performance.now();
    expect(await hasty().push(request)).toEqual({
      kind: 'refused',
      failureCode: 'rail_unavailable',
    });
    expect(performance.now() - start).toBeLessThan(longMs);
    await daraja.listen(port);
    await sleep(1_500);
    expect(daraja.seen).toEqual([]);
  });

  it('succeeds if the rail comes back within the deadline', async () => {
    daraja.pushes(accept);
    await daraja.close();
    const push = rail().push(request);
    await sleep(150);
    await daraja.listen(port);
    expect(await push).toEqual(accepted);
    expect(daraja.pushed).toHaveLength(1);
  });

  it('is refused without being sent if no token arrives in time', async () => {
    daraja.tokens(hang);
    expect(await hasty().push(request)).toEqual({
      kind: 'refused',
      failureCode: 'rail_unavailable',
    });
    expect(daraja.pushed).toEqual([]);
  });

  it.each([
    [400, 'a page', '<html>Bad Request</html>'],
    [401, 'nothing', ''],
    [403, 'a page', '<html>Forbidden</html>'],
    [403, 'JSON of its own', '{"errorCode":"blocked","message":"Forbidden"}'],
  ])(
    'is refused as unavailable, not as unauthorized, if a firewall answers %i with %s',
    async (...answer) => {
      const [status, , body] = answer;
      daraja.tokens((response) => response.writeHead(status).end(body));
      expect(await hasty().push(request)).toEqual({
        kind: 'refused',
        failureCode: 'rail_unavailable',
      });
      expect(daraja.pushed).toEqual([]);
    },
  );

  it('is refused at once if the rail does not know our credentials', async () => {
    daraja.tokens(error(400, '400.008.01'));
    expect(await rail().push(request)).toEqual({
      kind: 'refused',
      failureCode: 'rail_unauthorized',
    });
    expect(daraja.seen).toHaveLength(1);
  });

  it.each([
    ['the connection breaks', reset],
    ['a gateway answers', json(502, { message: 'Bad Gateway' })],
    ['the rail fails inside', error(500, '500.003.1001')],
    ['the answer has no checkout id', json(200, { ResponseCode: '0' })],
    ['the answer is endless', (response) => response.end('x'.repeat(100_000))],
  ])('has an unknown outcome if %s, and is never sent again', async (_, script) => {
    daraja.pushes(script, accept);
    expect(await lateOf(await rail().push(request))).toBeUndefined();
    expect(daraja.pushed).toHaveLength(1);
  });

  it.each([
    ['accepted', accept, accepted],
    ['refused', error(500, '500.001.1001'), { kind: 'refused', failureCode: 'rail_refused' }],
    [
      'refused where it was not looked at',
      error(404, '404.001.03'),
      { kind: 'refused', failureCode: 'rail_unauthorized' },
    ],
    ['nothing where that says nothing', json(502, {}), undefined],
    ['nothing where the connection breaks', reset, undefined],
  ])(
    'has an unknown outcome first, then the one of its late answer: %s',
    async (_, script, late) => {
      const answer = heldBack(script);
      daraja.pushes(answer.script);
      const lateAnswer = lateOf(await hasty().push(request));
      answer.letGo();
      expect(await lateAnswer).toEqual(late);
      expect(daraja.pushed).toHaveLength(1);
    },
  );

  it('keeps an unknown outcome if it is never answered, and gives up its connection', async () => {
    daraja.pushes(hang);
    const start = performance.now();
    expect(await lateOf(await hasty(500).push(request))).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(lateAnswerMs);
  });

  it('is refused without being sent while the circuit is open, and succeeds once the rail is back', async () => {
    const { first, outcome } = await aroundThePause();
    expect(first).toEqual({ kind: 'refused', failureCode: 'rail_unavailable' });
    expect(outcome).toEqual(accepted);
  });
});

/** Shorter than most pauses of the circuit, because a push waits for the pause's end. */
const withinPauseMs = 1_500;

/**
 * Returns the first answer of a rail after 20 pushes that hung, and the one after the circuit's pause. The pause is
 * random, and a process that stands still looks like a rail that hangs: then the next rail has another try.
 */
async function aroundThePause(): Promise<Record<'first' | 'outcome', PushOutcome>> {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === 10;
    const metrics = new Metrics();
    const mpesa = railAt(`http://127.0.0.1:${port}`, metrics, { pushTimeoutMs: withinPauseMs });
    daraja.pushes(hang);
    const hung = await Promise.all(Array.from({ length: 20 }, () => mpesa.push(request)));
    if (hung.some(({ kind }) => kind !== 'unknown') && !isLast) continue;
    expect(new Set(hung.map(({ kind }) => kind))).toEqual(new Set(['unknown']));
    const sent = daraja.pushed.length;
    daraja.pushes(accept);
    const first = await mpesa.push(request);
    if (first.kind !== 'refused' && !isLast) continue;
    expect(daraja.pushed).toHaveLength(sent);
    expect(await metrics.registry.metrics()).toContain(
      'rail_circuit_state{mode="demo",endpoint="push"} 2',
    );
    const giveUpAt = performance.now() + longMs;
    let outcome = await mpesa.push(request);
    while (outcome.kind === 'refused' && performance.now() < giveUpAt)
      outcome = await mpesa.push(request);
    expect(daraja.pushed).toHaveLength(sent + 1);
    if (outcome.kind === 'unknown' && !isLast) continue;
    return { first, outcome };
  }
}

describe('a query', () => {
  const query = () => rail().query({ channel: 'mpesa', mode: 'demo', railReference: 'ws_CO_1' });
  const result = (ResultCode: string) => json(200, { ResponseCode: '0', ResultCode });

  it.each([
    ['paid', result('0'), { kind: 'paid', resultCode: '0' }],
    ['declined', result('1032'), { kind: 'declined', failureCode: 'cancelled' }],
    ['unresolved', error(500, '500.001.1001'), { kind: 'unresolved' }],
    ['unresolved with a code that nobody knows', result('77'), { unknownCode: '77' }],
    ['unanswered where the connection breaks', reset, { kind: 'unanswered' }],
  ])('is %s as the rail says', async (_, script, outcome) => {
    daraja.queries(script);
    expect(await query()).toMatchObject(outcome);
  });

  it('counts each unknown code by itself while they are few, and raises an alert', async () => {
    const metrics = new Metrics();
    const mpesa = rail(metrics);
    const before = await metrics.registry.metrics();
    const codes = ['77', '77', ...Array.from({ length: 40 }, (_, index) => `7${index + 100}`)];
    for (const code of [...codes, '4999', '1032', '7"}\n']) {
      daraja.queries(result(code));
      await mpesa.query({ channel: 'mpesa', mode: 'demo', railReference: 'ws_CO_1' });
    }
    const after = await metrics.registry.metrics();
    expect(await alertsFiredBy(after, before)).toEqual(['UnknownRailResult']);
    const series = after
      .split('\n')
      .filter((line) => line.startsWith('pesapost_rail_unknown_results_total{'));
    expect(series).toHaveLength(33);
    const of = (code: string) =>
      `rail_unknown_results_total{mode="demo",source="query",code="${code}"}`;
    expect(series).toContain(`pesapost_${of('77')} 2`);
    expect(series).toContain(`pesapost_${of('other')} 10`);
  });

  it.each([
    [404, '404.001.03'],
    [400, '400.003.01'],
    [401, '401.002.01'],
  ])(
    'is asked again with a new token if the old one is refused with %p %s',
    async (status, code) => {
      daraja.queries(error(status, code), result('0'));
      const raw = Buffer.from(JSON.stringify({ ResponseCode: '0', ResultCode: '0' }));
      expect(await query()).toEqual({ kind: 'paid', resultCode: '0', raw });
    },
  );

  it('is reported as not asked if the new token is refused, too', async () => {
    daraja.queries(error(401, '401.002.01'));
    expect(await query()).toEqual({ kind: 'not_asked', why: 'no_token' });
  });

  it('is reported as not asked if the rail cannot be reached', async () => {
    await daraja.close();
    const reached = hasty();
    const asked = { channel: 'mpesa', mode: 'demo', railReference: 'ws_CO_1' } as const;
    expect(await reached.query(asked)).toEqual({ kind: 'not_asked', why: 'no_token' });
  });
});

describe('a mode without settings', () => {
  it('has no rail', async () => {
    expect(rail().limits('mpesa', 'live')).toBeUndefined();
    expect(rail().limits('mpesa', 'demo')).toEqual({
      maxMinor: 25_000_000n,
      stepMinor: 100n,
      currencies: ['KES'],
      payBill: '174379',
    });
    expect((await rail().push({ ...request, mode: 'live' })).kind).toBe('refused');
    expect(
      await rail().query({ channel: 'mpesa', mode: 'live', railReference: 'ws_CO_1' }),
    ).toEqual({
      kind: 'not_asked',
      why: 'unreachable',
    });
  });
});
