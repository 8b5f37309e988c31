import { correctionDecider, type CorrectionEvent, correctionStream } from '#domain/corrections';
import { EventStore, fold } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { withApp } from '../../app.js';
import { modeOption, parseCorrectionId } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { plainCommand } from '../plain-command.js';
import { correctionJson, correctionLines } from './correction-text.js';

interface ShowOptions {
  readonly mode: Mode;
  readonly json?: true;
}

export const show = plainCommand(
  'show',
  'shows a correction from its own events, so it is always up to date',
  'correction show 0199c1f0-9c3f-7a2b-8e4d-1f2a3b4c5d6e --mode live',
)
  .argument('<id>', 'the correction’s id', parseCorrectionId)
  .addOption(modeOption)
  .action(async (id: string, { mode, json }: ShowOptions) => {
    const events = await withApp((app) =>
      app.get(EventStore).readStream<CorrectionEvent>(correctionStream({ mode, id })),
    );
    const state = fold(correctionDecider, events);
    if (state.status === 'none')
      throw new Refused(['no such correction in this mode: npx pesapost correction list']);
    if (json) printJson(correctionJson(id, state));
    else printLines(correctionLines(id, state));
  });
