import { type Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { actions, withoutRole, wordsOf } from './permitted.js';
import { program } from './program.js';

/** Every command with its path. */
function walk(command: Command, words: readonly string[] = []): readonly [string, Command][] {
  return [
    [words.join(' '), command],
    ...command.commands.flatMap((each) => walk(each, [...words, each.name()])),
  ];
}

describe('who is signed in', () => {
  it('is permitted each command that changes something by one action of the table, or by having the machine', () => {
    const changing = walk(program)
      .filter(([, command]) => command.options.some(({ long }) => long === '--as'))
      .map(([words, command]) => {
        expect(wordsOf(command)).toBe(words);
        return words;
      });
    expect(changing.filter((words) => words !== withoutRole).sort()).toEqual(
      Object.keys(actions).sort(),
    );
    expect(changing).toContain(withoutRole);
  });
});

describe('the help of', () => {
  it.each(walk(program))('pesapost %s', (words, command) => {
    expect(command.helpInformation()).toContain(`Usage: ${`pesapost ${words}`.trim()}`);
  });

  it.each(walk(program).filter(([, command]) => command.commands.length === 0))(
    'pesapost %s shows an example that is its own',
    async (words, command) => {
      let shown = '';
      command.configureOutput({ writeOut: (text) => (shown += text) });
      command.exitOverride();
      await expect(command.parseAsync(['--help'], { from: 'user' })).rejects.toMatchObject({
        code: 'commander.helpDisplayed',
      });
      expect(shown).toContain(`npx pesapost ${words}`);
    },
  );
});
