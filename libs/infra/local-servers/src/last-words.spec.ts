import { afterAll, describe, expect, it } from '@jest/globals';
import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastWords, tellingLine } from './last-words.js';

const directory = mkdtempSync(join(tmpdir(), 'pesapost-words-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const line = (level: string, msg: string) => JSON.stringify({ level, msg });
const warnings = [
  '(node:81) [DEP0123] DeprecationWarning: Setting the TLS ServerName to an IP address is not permitted',
  '(Use `node --trace-deprecation ...` to show where the warning was created)',
];

describe('the last words of a process', () => {
  it.each([
    [
      'the error of a JSON log',
      [line('info', 'up'), line('fatal', 'no such user')],
      'no such user',
    ],
    ['the error before lines that only inform', [line('error', 'bad'), line('info', 'x')], 'bad'],
    ['the line before warnings of Node', ['a setting is wrong', ...warnings], 'a setting is wrong'],
    ['the error of a JSON log among warnings', [line('fatal', 'full'), ...warnings], 'full'],
    [
      'the message of an uncaught error',
      [
        'file:///a.js:3',
        'throw new TypeError("x")',
        '^',
        '',
        'TypeError: x',
        '    at f (a.js:3)',
        '',
        'Node.js v24.1.0',
      ],
      'TypeError: x',
    ],
    [
      'the last line of plain text',
      ['LOG:  starting', 'FATAL:  no space left'],
      'FATAL:  no space left',
    ],
  ])('are %s', (_, lines, told) => {
    expect(tellingLine(lines)).toBe(told);
  });

  it('are none of an earlier run', () => {
    const file = join(directory, 'a.log');
    writeFileSync(file, `${line('fatal', 'an old fault')}\n`);
    const from = statSync(file).size;
    expect(lastWords(file, from)).toBe(`it said nothing (see ${file})`);
    appendFileSync(file, `a new one\n${warnings.join('\n')}\n`);
    expect(lastWords(file, from)).toBe(`a new one (see ${file})`);
  });
});
