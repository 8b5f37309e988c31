import { describe, expect, it } from '@jest/globals';
import { parseSettings } from './settings.js';

describe('the settings', () => {
  it('have a default each', () => {
    expect(parseSettings({})).toEqual({
      settings: {
        directory: '.data/eventstore',
        host: '127.0.0.1',
        port: 2113,
        tlsCertificateFile: undefined,
        tlsKeyFile: undefined,
        user: undefined,
        ordinaryUser: undefined,
        clockOffsetMs: 0,
        logLevel: 'info',
      },
    });
  });

  it.each([
    ['0', 0],
    ['800ms', 800],
    ['90s', 90_000],
    ['48h', 172_800_000],
    ['30d', 2_592_000_000],
    ['-1d', -86_400_000],
  ])('reads the duration %s', (text, clockOffsetMs) => {
    expect(parseSettings({ CLOCK_OFFSET: text })).toMatchObject({ settings: { clockOffsetMs } });
  });

  it('reports all problems together, each by the setting’s name', () => {
    const parsed = parseSettings({
      EMBEDDED_EVENTSTORE_PORT: '70000',
      EMBEDDED_EVENTSTORE_TLS_KEY_FILE: 'key.pem',
      EMBEDDED_EVENTSTORE_USER: 'nobody',
      CLOCK_OFFSET: 'tomorrow',
      LOG_LEVEL: 'loud',
    });
    const problems = 'problems' in parsed ? parsed.problems : [];
    expect(problems).toHaveLength(5);
    for (const name of ['PORT', 'TLS_KEY_FILE', 'USER', 'CLOCK_OFFSET', 'LOG_LEVEL']) {
      expect(problems.some((problem) => problem.includes(name))).toBe(true);
    }
  });
});
