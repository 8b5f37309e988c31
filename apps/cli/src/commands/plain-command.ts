import { type Mode } from '#domain/kernel';
import { Command, Option } from 'commander';
import { parseMode } from '../options.js';

/** A subcommand with `--json` and an example. `change` is for those that need a reason and record who acts. */
export function plainCommand(name: string, description: string, example: string): Command {
  return new Command(name)
    .description(description)
    .option('--json', 'the answer as one JSON object')
    .addHelpText('after', `\nExample:\n  npx pesapost ${example}`);
}

/** Options that name a collection; they are only needed if the reference is not unique. */
export interface MerchantAndModeOptions {
  readonly merchant?: string;
  readonly mode?: Mode;
  readonly json?: true;
}

/** Adds --merchant and --mode, which narrow the result. */
export function withMerchantAndMode(command: Command): Command {
  return command
    .option('--merchant <id>', 'the merchant’s id')
    .addOption(new Option('--mode <mode>', 'live or demo').argParser(parseMode));
}
