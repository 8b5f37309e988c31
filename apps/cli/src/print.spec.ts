import { describe, expect, it, jest } from '@jest/globals';
import { showList } from './operator.js';
import { printLines } from './print.js';

describe('text shown at a terminal', () => {
  it('has its control characters replaced, whatever was written into it', () => {
    let written = '';
    const stdout = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
      written += String(text);
      return true;
    });
    printLines(['reason: seen\u001b[1A\u001b[2Kamount: 1', 'to: \u202e001\tKES', 'Zażółć 支払い']);
    showList('merchants', [{ name: 'Duka\u009b2J' }], {});
    stdout.mockRestore();
    expect(written).toBe(
      'reason: seen\ufffd[1A\ufffd[2Kamount: 1\nto: \ufffd001\tKES\nZażółć 支払い\nname=Duka\ufffd2J\n',
    );
  });
});
