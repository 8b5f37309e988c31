import { EventStore, type RecordedEvent } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import {
  type BalanceOutcome,
  type RailBalanceCompared,
  type RailBalanceEvent,
  railBalanceStream,
} from '#domain/settlements';
import { railCurrency } from '#desk/operators';
import { Database } from '#infra/postgres';
import { type ListedSettlement, newestSettlements } from '#views/settlements';
import { withApp } from '../../app.js';
import { money } from '../../money.js';
import { modeOption } from '../../options.js';
import { printJson, printLines } from '../../print.js';
import { Refused } from '../../refused.js';
import { table } from '../../table.js';
import { plainCommand } from '../plain-command.js';
import { railChannel } from './channel.js';

const maxSweeps = 10;

export const balanceShow = plainCommand(
  'show',
  'compares what the rail says it holds with the ledger, as of the last answer; exit code 1 if they differ',
  'rail balance show --mode live',
)
  .addOption(modeOption)
  .action(async ({ mode, json }: { readonly mode: Mode; readonly json?: true }) => {
    const account = { channel: railChannel, mode };
    const { events, sweeps } = await withApp(async (app) => ({
      events: await lastEvents(app.get<EventStore>(EventStore), railBalanceStream(account)),
      sweeps: await newestSettlements(app.get(Database), account, maxSweeps),
    }));
    const { compared, accepted } = events;
    if (json)
      printJson({
        compared: compared ? comparedJson(compared) : null,
        accepted_since: accepted,
        sweeps: sweeps.map(sweepJson),
      });
    else printLines([...comparedLines(compared, accepted), ...sweepLines(sweeps)]);
    if (compared?.data.outcome === 'differs' && !accepted) throw new Refused(['they differ']);
  });

/** The newest comparison, and true if its difference was accepted since. */
async function lastEvents(
  store: EventStore,
  stream: string,
): Promise<{
  readonly compared: RecordedEvent<RailBalanceCompared> | undefined;
  readonly accepted: boolean;
}> {
  const last = await store.readLast<RailBalanceEvent>(stream);
  if (!last) return { compared: undefined, accepted: false };
  if (last.type === 'RailBalanceCompared') return { compared: last, accepted: false };
  // Only a comparison can be accepted, so one precedes.
  const [before] = await store.readStream<RailBalanceCompared>(stream, last.revision - 1n, 1);
  return { compared: before, accepted: true };
}

const outcomes: Readonly<Record<BalanceOutcome, string>> = {
  opening: 'the first comparison: the difference is what the rail held before the ledger began',
  agrees: 'they agree to the cent',
  explained: 'the missed payments are the difference: npx pesapost reconcile missed',
  in_flight: 'payouts without a result may be the difference; it is compared again each hour',
  differs:
    'THEY DIFFER, and nothing that is known explains it. Reconcile the days with the rail’s statement; once it is explained: npx pesapost rail balance accept --help',
};

function comparedLines(
  event: RecordedEvent<RailBalanceCompared> | undefined,
  isAccepted: boolean,
): readonly string[] {
  if (!event) return ['the rail’s balance was not compared yet: the worker asks for it once a day'];
  const { data } = event;
  const shown = (minor: bigint): string => money(minor, data.currency);
  return [
    `as of ${data.asOf}, recorded at ${event.recordedAt}`,
    ...table(
      ['account', 'short code', 'amount', ''],
      data.accounts.map(({ name, shortCode, amountMinor, isHeld }) => [
        name,
        shortCode,
        shown(amountMinor),
        isHeld ? '' : 'on its way to the bank: not counted',
      ]),
    ),
    '',
    ...table(
      ['', ''],
      [
        ['the rail holds', shown(data.heldMinor)],
        ['by the ledger', shown(data.ledgerMinor)],
        ['accepted difference', shown(data.openingMinor)],
        ['payments that the ledger lacks', shown(data.unpostedMinor)],
        ['payouts without a result', shown(data.inFlightMinor)],
        ['difference', shown(data.differenceMinor)],
      ],
    ),
    '',
    isAccepted ? 'the difference was accepted since' : outcomes[data.outcome],
  ];
}

function sweepLines(sweeps: readonly ListedSettlement[]): readonly string[] {
  if (sweeps.length === 0) return [];
  return [
    '',
    'newest sweeps to the bank',
    ...table(
      ['receipt', 'amount', 'at', 'by'],
      sweeps.map(({ receipt, amountMinor, paidAt, recordedAt, by }) => [
        receipt,
        money(amountMinor, railCurrency),
        (paidAt ?? recordedAt).toISOString(),
        by,
      ]),
    ),
  ];
}

function comparedJson({ data, recordedAt }: RecordedEvent<RailBalanceCompared>): object {
  return {
    channel: data.channel,
    mode: data.mode,
    currency: data.currency,
    as_of: data.asOf,
    recorded_at: recordedAt,
    accounts: data.accounts.map(({ shortCode, name, amountMinor, isHeld }) => ({
      short_code: shortCode,
      name,
      amount_minor: amountMinor,
      held: isHeld,
    })),
    held_minor: data.heldMinor,
    ledger_minor: data.ledgerMinor,
    opening_minor: data.openingMinor,
    unposted_minor: data.unpostedMinor,
    in_flight_minor: data.inFlightMinor,
    difference_minor: data.differenceMinor,
    outcome: data.outcome,
    position: data.position,
  };
}

function sweepJson({ receipt, amountMinor, paidAt, recordedAt, by }: ListedSettlement): object {
  return {
    receipt,
    amount_minor: amountMinor,
    paid_at: paidAt?.toISOString() ?? null,
    recorded_at: recordedAt.toISOString(),
    by,
  };
}
