import { describe, expect, it } from '@jest/globals';
import { readSettings } from './settings.js';

describe('the settings', () => {
  it('have defaults, which also apply to empty values', () => {
    const given = { DATA_DIR: '/data', SIMULATOR_AIRTEL_DIR: '', SIMULATOR_AIRTEL_PIN: '' };
    expect(readSettings(given)).toMatchObject({
      settings: {
        host: '127.0.0.1',
        port: 8098,
        delayMs: 800,
        slowAnswerMs: 20_000,
        directory: '/data/airtel-simulator',
        pin: '1234',
        callbackUrl: undefined,
        callbackHash: 'transaction',
      },
    });
  });

  it('share delay, float and host with the Daraja simulator, and have a port and a folder of their own', () => {
    const shared = { SIMULATOR_DELAY: '2s', SIMULATOR_FLOAT: '10.50', SIMULATOR_HOST: '0.0.0.0' };
    const daraja = { SIMULATOR_PORT: '1', SIMULATOR_DIR: '/other', DATA_DIR: '/data' };
    expect(readSettings({ ...shared, ...daraja })).toMatchObject({
      settings: {
        delayMs: 2_000,
        floatMinor: 1_050n,
        host: '0.0.0.0',
        port: 8098,
        directory: '/data/airtel-simulator',
      },
    });
  });

  it('report every problem at once, by name', () => {
    const read = readSettings({
      SIMULATOR_AIRTEL_PORT: '70000',
      SIMULATOR_AIRTEL_PIN: 'abcd',
      SIMULATOR_AIRTEL_CALLBACK_URL: 'ftp://x',
      SIMULATOR_AIRTEL_CALLBACK_HASH: 'other',
      SIMULATOR_DELAY: '800',
    });
    const problems = 'problems' in read ? read.problems.map((text) => text.split(' ')[0]) : [];
    expect(problems.sort()).toEqual([
      'SIMULATOR_AIRTEL_CALLBACK_HASH',
      'SIMULATOR_AIRTEL_CALLBACK_URL',
      'SIMULATOR_AIRTEL_PIN',
      'SIMULATOR_AIRTEL_PORT',
      'SIMULATOR_DELAY',
    ]);
  });
});
