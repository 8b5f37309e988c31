import { userInfo } from 'node:os';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type Command as CqrsCommand, CommandBus } from '@nestjs/cqrs';
import { type Result } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { UuidIds } from '#infra/runtime';
import { type INestApplicationContext } from '@nestjs/common';
import { Command, Option } from 'commander';
import { withApp } from './app.js';
import { userAtHost } from './identity.js';
import { parseForEver, parseTypedName } from './options.js';
import { printJson, printLines } from './print.js';
import { Refused } from './refused.js';
import { withheldOf } from './withheld.js';

/** Options of every command that changes something. */
export interface ChangeOptions {
  readonly reason: string;
  readonly as: string;
  /** True if `as` names a person who has signed in, and not a typed name. */
  readonly isSignedIn?: true;
  readonly json?: true;
}

/** A subcommand that changes something. It needs a reason and a name. */
export function change(name: string, description: string, example: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--reason <text>', 'the reason; it stays in the event for ever', parseForEver)
    .addOption(whoOption())
    .option('--json', 'the answer as one JSON object')
    .addHelpText('after', `\nExample:\n  npx pesapost ${example}`);
}

/** The option that names who acts if no issuer is set (PEO-11). */
export function whoOption(): Option {
  return new Option('--as <name>', 'your name, if no issuer is set')
    .argParser(parseTypedName)
    .default(userInfo().username);
}

export function operatorMetadata({
  reason,
  as,
  isSignedIn,
}: Pick<ChangeOptions, 'as' | 'isSignedIn'> &
  Partial<Pick<ChangeOptions, 'reason'>>): CommandMetadata {
  const correlationId = new UuidIds().next();
  const typedBy = isSignedIn ? {} : { holder: userAtHost() };
  const actor = { kind: 'operator', id: as, ...typedBy } as const;
  return { correlationId, actor, ...(reason === undefined ? {} : { reason }) };
}

/** The metadata of `operatorMetadata`, for commands whose events all have a reason. */
export function withReason(options: ChangeOptions): CommandMetadata & { readonly reason: string } {
  return { ...operatorMetadata(options), reason: options.reason };
}

/**
 * Carries the command out on the same bus as every edge's and shows the outcome.
 * @param explain the meaning of each refusal to a person, and the next step
 * @param standing the values to show instead of the command's own answer
 * @throws Refused
 */
export async function carryOut<Value extends object | undefined, Refusal extends string>(
  command: CqrsCommand<Result<Value, Refusal>>,
  options: ChangeOptions & { readonly merchant?: string },
  explain: Readonly<Record<Refusal, string>>,
  standing?: object,
): Promise<void> {
  const result = await withApp(async (app) => {
    const done = await app.get(CommandBus).execute(command);
    if (done.ok) await noteStandstill(app, options);
    return done;
  });
  if (!result.ok) throw new Refused([explain[result.refusal]]);
  show(standing ?? result.value ?? {}, options);
}

/**
 * Warns that a change is recorded but not effective yet, if the merchant's views are quarantined. Fees, hosts and
 * endpoints are read from the views, which stop at an event of the merchant's own stream (ADR 0025).
 */
export async function noteStandstill(
  app: INestApplicationContext,
  { merchant }: { readonly merchant?: string },
): Promise<void> {
  if (merchant === undefined) return;
  // The change is recorded even if the views cannot be read: before the first projector there are none.
  const standing = await withheldOf(app.get(Database), { merchant }).catch(() => []);
  const own = standing.find(({ scope }) => scope === 'merchant');
  if (!own) return;
  process.stderr.write(
    `recorded, but not effective yet: the views of merchant ${merchant} are quarantined since position ${own.position}. Settings ` +
      'that are read from them (fees, hosts, webhook endpoints) stay as they were until that ends (npx pesapost projection quarantine list)\n',
  );
}

/** Prints one JSON object with snake_case members, or a line for each member. */
export function show(value: object, { json }: { readonly json?: true }): void {
  const members = Object.entries(value).map(
    ([name, member]: [string, unknown]) => [snakeCase(name), member] as const,
  );
  if (json) printJson(Object.fromEntries(members));
  else if (members.length === 0) process.stdout.write('done\n');
  else printLines(members.map(([name, member]) => `${name}: ${String(member)}`));
}

/** Prints one JSON object with one array, or a line for each item. */
export function showList(
  name: string,
  items: readonly object[],
  { json }: { readonly json?: true },
): void {
  const rows = items.map(snakeCased);
  if (json) process.stdout.write(`${JSON.stringify({ [name]: rows })}\n`);
  else if (rows.length === 0) process.stdout.write(`no ${name}\n`);
  else printLines(rows.map(lineOf));
}

/** The message for an unknown merchant. */
export function unknownMerchant(merchantId: string): string {
  return `no merchant ${merchantId}: create it with npx pesapost merchant create`;
}

function snakeCased(item: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(item).map(([name, member]: [string, unknown]) => [
      snakeCase(name),
      Array.isArray(member) ? member.map(snakeCasedWithin) : member,
    ]),
  );
}

function snakeCasedWithin(item: unknown): unknown {
  return typeof item === 'object' && item !== null ? snakeCased(item) : item;
}

function lineOf(row: Readonly<Record<string, unknown>>): string {
  return Object.entries(row)
    .map(
      ([name, member]) => `${name}=${typeof member === 'string' ? member : JSON.stringify(member)}`,
    )
    .join('  ');
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
