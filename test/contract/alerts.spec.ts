import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { rules, testRules } from '../servers/alerts.js';
import { promtool, requirePrometheus } from '../servers/promtool.js';

/** For each alert: series of a platform on which it fires within seven hours, in promtool's notation, one value per 5 min. */
const broken = {
  // No target is scraped.
  ApiMissing: {},
  ProcessMissing: { 'pesapost_process_last_seen_seconds{app="worker"}': '1 2 301+300x100' },
  LoopStalled: { 'pesapost_loop_stalled{app="worker",loop="notices"}': '_ _ 1x100' },
  ServerDown: { 'pesapost_server_up{server="redis"}': '1 1 0x100' },
  ViewsBehind: { pesapost_views_age_seconds: '1 1 61+300x100' },
  AuditSealOverdue: { pesapost_audit_seal_overdue_seconds: '0 0 300+300x100' },
  AuditCheckFailed: { pesapost_audit_check_faults: '0 0 3x100' },
  HistoryChanged: { 'pesapost_audit_seal_failures_total{why="history_changed"}': '0 0 1x100' },
  PayoutsWaitForFloat: { pesapost_payouts_waiting_for_float: '0 2x100' },
  NewAdminAnnounced: { pesapost_break_glass_takes_effect_at_seconds: '0 0 90000x100' },
  PayoutsPaused: { pesapost_payouts_paused_seconds: '0 0 300+300x100' },
  RailFloatLow: { 'pesapost_rail_float_minor{channel="mpesa",mode="live"}': '9000000 100x100' },
  RailFloatUnknown: {
    'pesapost_rail_float_told_at_seconds{channel="mpesa",mode="live"}': '0x100',
  },
  PayoutsRefusedForTheAccount: {
    'pesapost_rail_account_refusals_total{mode="live",why="rail_unauthorized"}': '_x82 1x20',
  },
  PayoutsUnsent: { pesapost_payouts_unsent_seconds: '0 300+300x100' },
  PayoutsWithoutResult: { pesapost_payouts_waiting_oldest_seconds: '0 300+300x100' },
  UnknownRailResult: {
    'pesapost_rail_unknown_results_total{mode="live",code="4711"}': '_x82 1x20',
  },
  MissedMoney: { pesapost_rail_missed_payments: '0 1x100' },
  UnpostedReports: { pesapost_rail_unposted_reports: '0 1x100' },
  CallbacksWait: { pesapost_callback_inbox_oldest_seconds: '1 300+300x100' },
  CallbacksUnopened: { pesapost_unopened_callbacks: '0 1x100' },
  RailNotAsked: { pesapost_rail_taken_age_seconds: '0 130000+300x100' },
  RailListUnread: { 'pesapost_rail_taken_payments_total{outcome="unreadable"}': '_x82 1x20' },
  RailBalanceDiffers: {
    'pesapost_rail_balance_difference_minor{channel="mpesa",mode="live"}': '0 -1x100',
  },
  RailBalanceNotCompared: {
    'pesapost_rail_balance_compared_at_seconds{channel="mpesa",mode="live"}': '-172800x100',
  },
  WebhooksOverdue: { pesapost_webhooks_overdue_seconds: '0 300+300x100' },
  WebhooksUnattempted: { pesapost_webhooks_unattempted_seconds: '0 300+300x100' },
  WebhookEndpointsFailing: { pesapost_webhook_endpoints_failing: '0 1x100' },
  WebhooksNotSent: { 'pesapost_webhook_attempts_total{outcome="no_secret"}': '_x82 1x20' },
  CredentialEndsSoon: {
    'pesapost_ends_in_seconds{what="credential",of="live"}': '604900 604801-300x100',
  },
  RailSecretEndsSoon: {
    'pesapost_ends_in_seconds{what="initiator_password",of="live"}': '1209900 1209601-300x100',
  },
  CertificateEndsSoon: {
    'pesapost_ends_in_seconds{what="certificate",of="postgres"}': '1814700 1814401-300x100',
  },
  RestoreDrillDue: { pesapost_last_restore_drill_timestamp_seconds: '-8000000x100' },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

/** A platform without faults. */
const well = {
  'pesapost_process_last_seen_seconds{app="worker"}': '1x100',
  'pesapost_server_up{server="redis"}': '1x100',
  pesapost_views_age_seconds: '1x100',
  pesapost_audit_seal_overdue_seconds: '0x100',
  pesapost_audit_check_faults: '0x100',
  pesapost_payouts_waiting_for_float: '0x100',
  'pesapost_rail_float_minor{channel="mpesa",mode="live"}': '9000000x100',
  'pesapost_rail_float_told_at_seconds{channel="mpesa",mode="live"}': '0+300x100',
  pesapost_payouts_unsent_seconds: '0x100',
  pesapost_payouts_paused_seconds: '0x100',
  pesapost_rail_missed_payments: '0x100',
  pesapost_rail_unposted_reports: '0x100',
  pesapost_callback_inbox_oldest_seconds: '1x100',
  pesapost_unopened_callbacks: '0x100',
  'pesapost_rail_balance_difference_minor{channel="mpesa",mode="live"}': '0x100',
  'pesapost_rail_balance_compared_at_seconds{channel="mpesa",mode="live"}': '-86400x100',
  pesapost_webhooks_overdue_seconds: '1x100',
  pesapost_last_restore_drill_timestamp_seconds: '0x100',
  'pesapost_ends_in_seconds{what="credential",of="live"}': '700000-300x100',
  'pesapost_ends_in_seconds{what="initiator_password",of="live"}': '1300000-300x100',
  'pesapost_ends_in_seconds{what="airtel_client_secret",of="live"}': '1300000-300x100',
  'pesapost_ends_in_seconds{what="airtel_pin",of="live"}': '1300000-300x100',
  'pesapost_ends_in_seconds{what="certificate",of="postgres"}': '1900000-300x100',
};

beforeAll(() => requirePrometheus(), 660_000);

/** @param expected the result of `expr` after seven hours; none if it has no result */
function ruleTest(
  series: Readonly<Record<string, string>>,
  expr: string,
  expected: number | undefined,
): object {
  const input = Object.entries(series).map(([name, values]) => ({ series: name, values }));
  const samples = expected === undefined ? [] : [{ labels: '{}', value: expected }];
  return {
    interval: '5m',
    input_series: input,
    promql_expr_test: [{ expr, eval_time: '7h', exp_samples: samples }],
  };
}

async function alertNames(): Promise<readonly string[]> {
  const text = await readFile(rules, 'utf8');
  return [...text.matchAll(/- alert: (\w+)/g)].map(([, alert = '']) => alert);
}

const firing = (alert: string): string =>
  `count(ALERTS{alertname="${alert}", alertstate="firing"})`;

describe('the alert rules', () => {
  it('are valid for Prometheus', async () => {
    expect(await promtool('check', 'rules', rules)).toMatchObject({ code: 0 });
  });

  it('are each fired here', async () => {
    expect(Object.keys(broken).sort()).toEqual([...(await alertNames())].sort());
  });

  it('are each fired by the metrics of real code in another spec', async () => {
    const fired = new Set<string>();
    for (const file of globSync('{apps,libs,test}/**/*.spec.ts')) {
      if (file.endsWith('alerts.spec.ts')) continue;
      const source = await readFile(file, 'utf8');
      if (!/\balertsFiredBy\(|\bfires\(/.test(source)) continue;
      for (const [, alert = ''] of source.matchAll(/['`](\w+)(?: [^'`]*)?['`]/g)) fired.add(alert);
    }
    expect((await alertNames()).filter((alert) => !fired.has(alert))).toEqual([]);
  });

  it('fire on the condition that they describe', async () => {
    const tests = Object.entries(broken).map(([alert, series]) =>
      ruleTest(series, firing(alert), 1),
    );
    expect(await testRules(tests)).toBe('');
  });

  it('do not fire if all is well', async () => {
    const all = 'count(ALERTS{alertstate="firing"})';
    expect(await testRules([ruleTest(well, all, undefined)])).toBe('');
  });
});
