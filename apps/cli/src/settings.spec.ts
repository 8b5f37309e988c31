import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingsOrRefused } from './settings.js';

describe('the settings of a command', () => {
  const before = { ...process.env };
  const run = { eventstore_url: 'esdb://127.0.0.1:1?tls=false', database_url: 'postgres://a@b/c' };
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pesapost-settings-'));
    process.env = { DATA_DIR: folder };
  });
  afterEach(async () => {
    process.env = before;
    await rm(folder, { recursive: true });
  });

  const running = (settings: Readonly<Record<string, string>>): Promise<void> =>
    writeFile(join(folder, 'run.json'), JSON.stringify({ ...run, settings }));

  it('are those of the running npm start', async () => {
    await running({ V4_GA_DATE: '2026-02-15', CLOCK_OFFSET: '3d', EVIDENCE_RETENTION: '90d' });
    const day = 86_400_000;
    expect(settingsOrRefused()).toMatchObject({
      v4GaDate: '2026-02-15',
      clockOffsetMs: 3 * day,
      evidenceRetentionMs: 90 * day,
    });
  });

  it('come first from its own environment, also under the name of an earlier release', async () => {
    await running({ V4_GA_DATE: '2026-02-15', EVIDENCE_RETENTION: '90d' });
    process.env['V4_GA_DATE'] = '2026-11-21';
    process.env['RAIL_MESSAGE_RETENTION'] = '91d';
    expect(settingsOrRefused()).toMatchObject({
      v4GaDate: '2026-11-21',
      evidenceRetentionMs: 91 * 86_400_000,
    });
    process.env['V4_GA_DATE'] = '';
    expect(settingsOrRefused().v4GaDate).toBe('2026-02-15');
  });

  it('never come from a start with other stores, nor include a setting that is not shared', async () => {
    await running({ V4_GA_DATE: '2026-02-15', CRASH_AT: 'trace' });
    expect(settingsOrRefused().crashAt).toBeUndefined();
    process.env['MASTER_KEY'] = `k1:${Buffer.alloc(32).toString('base64')}`;
    process.env['EVENTSTORE_URL'] = run.eventstore_url;
    process.env['DATABASE_URL'] = run.database_url;
    expect(settingsOrRefused().v4GaDate).toBe('2026-02-15');
    process.env['DATABASE_URL'] = 'postgres://a@b/d';
    expect(settingsOrRefused().v4GaDate).not.toBe('2026-02-15');
  });

  it('are refused if run.json is not as npm start writes it', async () => {
    await writeFile(join(folder, 'run.json'), '{"settings":7}');
    expect(() => settingsOrRefused()).toThrow('run.json is not as npm start writes it');
  });
});
