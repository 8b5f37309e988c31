import { type Command } from 'commander';
import { describe, expect, it } from '@jest/globals';
import { needsStepUp } from '#domain/people';
import { parseTypedName } from './options.js';
import { actions, firstAdmins, withoutAction, withoutRole, wordsOf } from './permitted.js';
import { program } from './program.js';

/** Every command with its path. */
function walk(command: Command, words: readonly string[] = []): readonly [string, Command][] {
  return [
    [words.join(' '), command],
    ...command.commands.flatMap((each) => walk(each, [...words, each.name()])),
  ];
}

describe('a signed-in person', () => {
  const runnable = walk(program).filter(
    ([words, command]) => command.commands.length === 0 || words in actions,
  );

  it('may run each command by one action of the table, except for those that need none', () => {
    const named = [...Object.keys(actions), ...withoutRole, ...withoutAction].sort();
    expect(runnable.map(([words]) => words).sort()).toEqual(named);
    for (const [words, command] of runnable) expect(wordsOf(command)).toBe(words);
  });

  it('proves presence for each command that decides about money, access or evidence', () => {
    const proved = Object.entries(actions).filter(([, action]) => needsStepUp(action));
    const words = proved.map(([words]) => words);
    expect(words).toEqual(
      expect.arrayContaining([
        ...['credential issue', 'credential revoke', 'credential expiry set', 'ip-list set'],
        ...['holder bind', 'fee set'],
        ...['limits set', 'destinations set', 'webhook set', 'replay', 'evidence show'],
        ...['evidence erase', 'payout approve', 'payout resume', 'payout batch approve'],
        ...['review open', 'review resolve', 'review confirm', 'review dismiss', 'correction post'],
        ...['correction confirm', 'pending confirm', 'role grant', 'role confirm'],
        ...['role revoke', 'role suspend', 'role unsuspend', 'session end'],
      ]),
    );
  });

  it('needs a role for each command that takes --as, and --as rejects a person’s id', () => {
    const changing = runnable.filter(([, { options }]) =>
      options.some(({ long }) => long === '--as'),
    );
    expect(changing.length).toBeGreaterThan(30);
    const typed = changing.map(([words, { options }]) => [
      words,
      options.find(({ long }) => long === '--as')?.parseArg,
    ]);
    expect(typed.filter(([, parse]) => parse !== parseTypedName)).toEqual([]);
    const free = changing.map(([words]) => words).filter((words) => withoutRole.has(words));
    expect(free).toEqual([firstAdmins]);
  });
});

it.each([
  ['merchant create', '--name'],
  ['credential issue', '--holder'],
  ['holder bind', '--system'],
  ['role grant', '--name'],
  ['fee set', '--reason'],
])('%s accepts no phone number for its %s, since events are permanent', (words, name) => {
  const command = walk(program).find(([path]) => path === words)?.[1];
  const option = command?.options.find(({ long }) => long === name);
  expect(() => {
    option?.parseArg?.('Amina, 0712 345 678', undefined);
  }).toThrow(/for ever/);
});

describe('--json after', () => {
  const runnable = walk(program).filter(
    ([words, command]) => command.commands.length === 0 || words in actions,
  );

  it.each(runnable.map(([words]) => words))('%s belongs to that command', (words) => {
    let command = program;
    let args = [...words.split(' '), '--json'];
    // This finds the command as commander does: an option that one command takes never reaches the next.
    for (const name of words.split(' ')) {
      const parsed = command.parseOptions(args);
      const next = command.commands.find((each) => each.name() === name);
      if (!next) throw new Error(`no command ${name}`);
      [command, args] = [next, parsed.unknown];
    }
    command.parseOptions(args);
    expect(command.opts()).toMatchObject({ json: true });
  });
});

it.each([
  [['nonsense'], 'all commands: npx pesapost --help'],
  [['review', 'nonsense'], 'how it is used: npx pesapost review --help'],
  [['fee', 'set'], 'how it is used: npx pesapost fee set --help'],
  [['balance', '1001', '--at', 'noon'], 'how it is used: npx pesapost balance --help'],
])('a wrong use of %j fails and names the help to read', async (words, hint) => {
  let told = '';
  for (const [, command] of walk(program))
    command.configureOutput({ writeErr: (text) => (told += text) });
  await expect(program.parseAsync(words, { from: 'user' })).rejects.toThrow();
  expect(told).toMatch(/^error: /);
  expect(told.trimEnd().split('\n').at(-1)).toBe(hint);
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
