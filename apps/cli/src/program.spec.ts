import { type Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { program } from './program.js';

/** Every command with its path. */
function walk(command: Command, words: readonly string[] = []): readonly [string, Command][] {
  return [
    [words.join(' '), command],
    ...command.commands.flatMap((each) => walk(each, [...words, each.name()])),
  ];
}

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
