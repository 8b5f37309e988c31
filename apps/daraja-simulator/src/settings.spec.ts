import { describe, expect, it } from '@jest/globals';
import { readSettings } from './settings.js';

describe('the settings', () => {
  it('have defaults, which also apply to empty values', () => {
    expect(
      readSettings({ DATA_DIR: '/data', SIMULATOR_DIR: '', SIMULATOR_DELAY: '' }),
    ).toMatchObject({
      settings: {
        host: '127.0.0.1',
        port: 8099,
        delayMs: 800,
        slowAnswerMs: 20_000,
        directory: '/data/daraja-simulator',
        clockOffsetMs: 0,
      },
    });
  });

  it.each([
    ['20ms', 20],
    ['2s', 2_000],
    ['5m', 300_000],
    ['0', 0],
  ])('a delay of %s is %d ms', (text, delayMs) => {
    expect(readSettings({ SIMULATOR_DELAY: text })).toMatchObject({ settings: { delayMs } });
  });

  it.each([
    ['-48h', -172_800_000],
    ['30d', 2_592_000_000],
  ])('a clock may be moved by %s', (text, clockOffsetMs) => {
    expect(readSettings({ CLOCK_OFFSET: text })).toMatchObject({ settings: { clockOffsetMs } });
  });

  it('report every problem at once, by name', () => {
    const read = readSettings({
      SIMULATOR_PORT: '70000',
      SIMULATOR_DELAY: '800',
      SIMULATOR_SLOW_ANSWER: '-1s',
      SIMULATOR_SHORTCODE: 'x',
      LOG_LEVEL: 'loud',
    });
    const problems = 'problems' in read ? read.problems.map((text) => text.split(' ')[0]) : [];
    expect(problems.sort()).toEqual([
      'LOG_LEVEL',
      'SIMULATOR_DELAY',
      'SIMULATOR_PORT',
      'SIMULATOR_SHORTCODE',
      'SIMULATOR_SLOW_ANSWER',
    ]);
  });
});
