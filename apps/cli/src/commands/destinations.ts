import { readFile } from 'node:fs/promises';
import { type Mode, ok, refuse, type Result } from '#domain/kernel';
import { setDestinations } from '#domain/merchants';
import { Command } from 'commander';
import { withApp } from '../app.js';
import { change, type ChangeOptions, unknownMerchant } from '../operator.js';
import { merchantOption, modeOption } from '../options.js';
import { printJson, printLines } from '../print.js';
import { makeOrPropose } from '../propose.js';
import { Refused } from '../refused.js';
import { OperatorsVault } from '../review-ports.module.js';

interface SetOptions extends ChangeOptions {
  readonly merchant: string;
  readonly mode: Mode;
  readonly phones?: string;
  readonly phonesFile?: string;
  readonly firstTimeRule?: true;
}

/** Most phones of a list: more than people keep. One event holds them all. */
const maxPhones = 1000;

const set = change(
  'set',
  'names the only numbers that a merchant may pay, or lifts that; the list replaces the one before. Adding a live number, or lifting the list, takes two admins',
  'destinations set --merchant M --mode live --phones-file numbers.txt --reason "contract 2026-114"',
)
  .addOption(merchantOption)
  .addOption(modeOption)
  .option('--phones <numbers>', '254712345678,…; they stay in the shell’s history')
  .option('--phones-file <file>', 'a number on each line')
  .option(
    '--first-time-rule',
    'allows any number again; the first payout of an account to each number needs a second holder',
  )
  .action(async (options: SetOptions, usage: Command) => {
    const { merchant: merchantId, mode } = options;
    const phones = await phonesOf(options, usage);
    const destinations = await withApp(async (app) => {
      const vault = await app.get(OperatorsVault).open();
      return phones?.map((phone) => vault.tracesOf(phone));
    });
    const named = destinations === undefined ? {} : { destinations };
    const explain = { unknown_merchant: unknownMerchant(merchantId) };
    const details = { merchantId, mode, ...named };
    if (!(await makeOrPropose(setDestinations, details, options, explain))) return;
    const masked = destinations?.map(({ phoneMasked }) => phoneMasked) ?? null;
    if (options.json) printJson({ destinations: masked });
    else if (masked) printLines([`may be paid: ${masked.length}`, ...masked]);
    else printLines(['any number may be paid; the first payout to each needs a second holder']);
  });

export const destinations = new Command('destinations')
  .description('the numbers that a merchant may pay')
  .addCommand(set);

/**
 * Returns undefined for any phone.
 * @throws CommanderError if none of the options is given, or more than one
 */
async function phonesOf(
  { phones, phonesFile, firstTimeRule }: SetOptions,
  usage: Command,
): Promise<readonly string[] | undefined> {
  const said = [phones, phonesFile, firstTimeRule].filter((one) => one !== undefined);
  if (said.length !== 1)
    usage.error('error: give exactly one of --phones, --phones-file and --first-time-rule');
  if (phones === undefined && phonesFile === undefined) return undefined;
  const parsed = parsePhones(phonesFile === undefined ? (phones ?? '') : await textOf(phonesFile));
  return parsed.ok ? parsed.value : usage.error(`error: --phones: ${parsed.refusal}`);
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new Refused([`${file} cannot be read`]);
  }
}

/**
 * The command parses it itself, because commander repeats a wrong value in its message, and no number may be on a
 * screen.
 */
export function parsePhones(text: string): Result<readonly string[], string> {
  const phones = text.split(/[\s,]+/).filter((phone) => phone !== '');
  const bad = phones.findIndex((phone) => !/^254[17]\d{8}$/.test(phone));
  if (bad >= 0) return refuse(`number ${bad + 1} is not 254, then 7 or 1 and eight digits`);
  const different = [...new Set(phones)];
  if (different.length === 0 || different.length > maxPhones)
    return refuse(`must be 1 to ${maxPhones} numbers`);
  return ok(different);
}
