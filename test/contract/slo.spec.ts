import { beforeAll, describe, expect, it } from '@jest/globals';
import { objectives, testRules } from '../servers/alerts.js';
import { promtool, requirePrometheus } from '../servers/promtool.js';

type Series = Readonly<Record<string, string>>;

/** Four hours, in promtool's notation: one value a minute. The start is not 0, as in a process that runs already. */
const rising = (aMinute: number): string => `100+${aMinute}x240`;
/** Each value on its own, since promtool repeats no NaN. */
const steady = (value: number): string => Array<string>(240).fill(String(value)).join(' ');

const created = (status: string, aMinute: number): Series => ({
  [`pesapost_http_requests_total{method="POST",route="/api/v4/collections",status="${status}"}`]:
    rising(aMinute),
});

/** A histogram of which `inTime` of `all` observations a minute are within the objective. */
const timed = (
  name: string,
  labels: string,
  le: string,
  counts: { all: number; inTime: number },
): Series => ({
  [`${name}_count{${labels}}`]: rising(counts.all),
  [`${name}_bucket{${labels},le="${le}"}`]: rising(counts.inTime),
});
const createTimes = (all: number, inTime: number): Series =>
  timed('pesapost_http_request_seconds', 'method="POST",route="/api/v4/collections"', '2.5', {
    all,
    inTime,
  });
const postings = (all: number, inTime: number): Series =>
  timed('pesapost_callback_posting_seconds', 'mode="live",way="direct"', '5', { all, inTime });
const webhooks = (all: number, inTime: number): Series =>
  timed('pesapost_webhook_first_attempt_seconds', 'mode="live"', '10.0', { all, inTime });
const viewsAge = (value: number): Series => ({
  pesapost_views_age_seconds: steady(value),
});
const rebuilt = (seconds: number): Series => ({ pesapost_views_rebuild_seconds: steady(seconds) });

/** A platform that keeps every objective. */
const well: Series = {
  ...created('202', 1000),
  ...created('409', 50),
  ...createTimes(1000, 999),
  ...postings(1000, 999),
  ...webhooks(1000, 998),
  ...viewsAge(0.2),
  ...rebuilt(600),
};

const burns = [
  'ErrorBudgetBurns',
  'ErrorBudgetBurnsFast',
  'ErrorBudgetBurnsSlowly',
  'ErrorBudgetSpent',
];

/** Checks which alerts fire at a time, each as `alert` or `alert slo`. */
async function expectFiring(series: Series, alerts: readonly string[], at = '3h'): Promise<void> {
  const samples = alerts.map((name) => {
    const [alert = '', slo] = name.split(' ');
    const of = slo === undefined ? '' : `, slo="${slo}"`;
    return { labels: `{alertname="${alert}"${of}}`, value: 1 };
  });
  const input = Object.entries({ ...well, ...series });
  const test = {
    interval: '1m',
    input_series: input.map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname, slo) (ALERTS{alertstate="firing"})',
        eval_time: at,
        exp_samples: samples,
      },
    ],
  };
  expect(await testRules([test], objectives, '1m')).toBe('');
}

beforeAll(() => requirePrometheus(), 660_000);

describe('the objectives', () => {
  it('are valid for Prometheus', async () => {
    expect(await promtool('check', 'rules', objectives)).toMatchObject({ code: 0 });
  });

  it('do not fire on a platform that meets them', () => expectFiring({}, []));

  it.each([
    ['create-availability', created('503', 100)],
    ['create-latency', createTimes(1000, 800)],
    ['callback-posting', postings(1000, 900)],
    ['posting-webhook', webhooks(1000, 800)],
    ['views-age', viewsAge(6)],
    ['views-age', viewsAge(NaN)],
  ])('fire each alert of the budget that is burning: %s', (slo, series) =>
    expectFiring(
      series,
      burns.map((alert) => `${alert} ${slo}`),
    ),
  );

  it('fire only the slower alerts if fewer requests fail', async () => {
    // 0.8 % of creates fail: eight times the budget.
    await expectFiring(
      created('503', 8.5),
      burns
        .filter((alert) => alert !== 'ErrorBudgetBurnsFast')
        .map((alert) => `${alert} create-availability`),
    );
    // 0.2 %: twice the budget.
    await expectFiring(created('503', 2.2), [
      'ErrorBudgetBurnsSlowly create-availability',
      'ErrorBudgetSpent create-availability',
    ]);
  });

  it('fire soon after an outage begins, and end soon after it ends', async () => {
    const outage = {
      'pesapost_http_requests_total{method="POST",route="/api/v4/collections",status="503"}':
        '0x120 0+1000x10 10000x120',
    };
    const fast = 'ErrorBudgetBurnsFast create-availability';
    await expectFiring(outage, [fast], '127m');
    const later = ['ErrorBudgetBurnsSlowly', 'ErrorBudgetSpent'];
    await expectFiring(outage, [], '115m');
    await expectFiring(
      outage,
      later.map((alert) => `${alert} create-availability`),
      '210m',
    );
  });

  it('do not count failures that the rail or the caller caused', () =>
    expectFiring({ ...created('502', 500), ...created('401', 500), ...created('429', 500) }, []));

  it('do not fire for a failure or two at night', async () => {
    const night = (status: string, values: string): Series => ({
      [`pesapost_http_requests_total{method="POST",route="/api/v4/collections",status="${status}"}`]:
        values,
    });
    await expectFiring(
      {
        ...night('202', '0x120 1 2 2 3 3x100'),
        ...night('409', '0x240'),
        ...night('503', '0x120 1 1 2 2x100'),
      },
      [],
      '126m',
    );
  });

  it('fire if the views took more than an hour to build', () =>
    expectFiring(rebuilt(3700), ['RebuildSlow']));
});
