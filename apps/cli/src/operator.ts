import { userInfo } from 'node:os';
import { type CommandMetadata } from '#event-sourcing';
import { type Command as CqrsCommand, CommandBus } from '@nestjs/cqrs';
import { type Result } from '#kernel';
import { UuidIds } from '#runtime';
import { Command } from 'commander';
import { withApp } from './app.js';
import { Refused } from './refused.js';

/** Options of every command that changes something. */
export interface ChangeOptions {
  readonly reason: string;
  readonly as: string;
  readonly json?: true;
}

/** A subcommand that changes something: it says why, and who. */
export function change(name: string, description: string, example: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--reason <text>', 'why; stands in the event for ever')
    .option('--as <name>', 'who', userInfo().username)
    .option('--json', 'the answer as one JSON object')
    .addHelpText('after', `\nExample:\n  npx pesapost ${example}`);
}

export function operatorMetadata({ reason, as }: ChangeOptions): CommandMetadata {
  const correlationId = new UuidIds().next();
  return { correlationId, actor: { kind: 'operator', id: as }, reason };
}

/**
 * Carries the command out on the same bus as every edge's and shows what came of it.
 * @param explain what each refusal means to a person, and what to do
 * @throws Refused
 */
export async function carryOut<Value extends object | undefined, Refusal extends string>(
  command: CqrsCommand<Result<Value, Refusal>>,
  options: ChangeOptions,
  explain: Readonly<Record<Refusal, string>>,
): Promise<void> {
  const result = await withApp((app) => app.get(CommandBus).execute(command));
  if (!result.ok) throw new Refused([explain[result.refusal]]);
  show(result.value ?? {}, options);
}

/** One JSON object with snake_case members, or a line each. */
export function show(value: object, { json }: { readonly json?: true }): void {
  const members = Object.entries(value).map(
    ([name, member]: [string, unknown]) => [snakeCase(name), member] as const,
  );
  if (json) process.stdout.write(`${JSON.stringify(Object.fromEntries(members))}\n`);
  else if (members.length === 0) process.stdout.write('done\n');
  else for (const [name, member] of members) process.stdout.write(`${name}: ${String(member)}\n`);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
