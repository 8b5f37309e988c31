import { type Mode } from '#domain/kernel';
import { Command, Option } from 'commander';
import { parseMode } from '../options.js';

/** A subcommand that changes nothing. */
export function look(name: string, description: string, example: string): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'the answer as one JSON object')
    .addHelpText('after', `\nExample:\n  npx pesapost ${example}`);
}

/** Which collection is meant; where the reference is unique it is enough. */
export interface WhoseOptions {
  readonly merchant?: string;
  readonly mode?: Mode;
  readonly json?: true;
}

/** Adds --merchant and --mode, which narrow what is looked at. */
export function withWhose(command: Command): Command {
  return command
    .option('--merchant <id>', 'the merchant’s id')
    .addOption(new Option('--mode <mode>', 'live or demo').argParser(parseMode));
}
