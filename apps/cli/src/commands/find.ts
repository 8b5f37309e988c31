import { Cases, type FoundStream, itemOf } from '#desk/operators';
import { withApp } from '../app.js';
import { parseDay } from '../options.js';
import { printJson, printLines } from '../print.js';
import { Refused } from '../refused.js';
import { table } from '../table.js';
import { plainCommand } from './plain-command.js';

interface FindOptions {
  readonly since?: string;
  readonly json?: true;
}

export const find = plainCommand(
  'find',
  'finds what a reference, a receipt, a rail reference, a statement’s account code or a request id belongs to',
  'find NLJ7RT61SV',
)
  .argument('<word>', 'the text as it is on a statement, in an answer or in a log')
  .option('--since <day>', 'codes and request ids: from this day on, else from yesterday', parseDay)
  .action(async (word: string, { since, json }: FindOptions) => {
    const { streams, gaveUp } = await withApp((app) => app.get(Cases).find(word, { since }));
    if (json) printJson({ found: streams.map(jsonOf), more: gaveUp });
    else if (streams.length > 0) printLines(textOf(streams));
    if (streams.length > 0) return;
    throw new Refused([
      gaveUp
        ? `${word} was not found in the first 200,000 events since then; name a later day with --since`
        : `${word} was not found; a statement code or request id of an earlier day needs --since YYYY-MM-DD`,
    ]);
  });

function jsonOf({ stream, by }: FoundStream): object {
  const { type = null, key } = itemOf(stream) ?? {};
  return {
    by,
    type,
    stream,
    merchant_id: key?.merchantId ?? null,
    mode: key?.mode ?? null,
    reference: key?.reference ?? null,
  };
}

function textOf(streams: readonly FoundStream[]): readonly string[] {
  const rows = streams.map(({ stream, by }) => {
    const { type = '', key } = itemOf(stream) ?? {};
    return [by, type, key?.reference ?? stream, key?.mode ?? '', key?.merchantId ?? ''];
  });
  const first = itemOf(streams[0]?.stream ?? '');
  const which = first?.type === 'payout' ? ' --type payout' : '';
  return [
    ...table(['by', 'type', 'reference', 'mode', 'merchant'], rows),
    ...(first
      ? [
          `npx pesapost show ${first.key.reference}${which} --merchant ${first.key.merchantId} --mode ${first.key.mode}`,
        ]
      : []),
  ];
}
