import { EventStore } from '#domain/event-sourcing';
import { Database } from '#infra/postgres';
import { type AccountOwner, type Balance, findBalance, findBalanceAsOf } from '#views/balances';
import { type INestApplicationContext } from '@nestjs/common';
import { withApp } from '../app.js';
import { type At, type Moment, momentOf, ownerOf, parseAt } from '../as-of.js';
import { money } from '../money.js';
import { printJson, printLines } from '../print.js';
import { Refused } from '../refused.js';
import { plainCommand } from './plain-command.js';

interface BalanceOptions {
  readonly at?: At;
  readonly json?: true;
}

interface Found {
  readonly owner: AccountOwner;
  readonly balance: Balance;
  readonly moment?: Moment;
}

export const balance = plainCommand(
  'balance',
  'shows an account’s balance, now or as of a day’s end or a position, from the ledger entries',
  'balance 1000000001 --at 2026-11-21',
)
  .argument('<account>', 'the account’s number')
  .option(
    '--at <when>',
    'the end of a day of the merchant’s zone (2026-11-21), or a position of the log',
    parseAt,
  )
  .action(async (accountNo: string, { at, json }: BalanceOptions) => {
    const found = await withApp((app) => find(app, accountNo, at));
    if (json) printJson(jsonOf(found));
    else printLines(textOf(found));
  });

/** Any age is fine, because the output says as of when it is. */
const anyAge = { maxAgeMs: Number.POSITIVE_INFINITY };
/** The command counts entries, which takes a while for an account that has millions. */
const statementTimeoutMs = 120_000;

async function find(
  app: INestApplicationContext,
  accountNo: string,
  at: At | undefined,
): Promise<Found> {
  const owner = await ownerOf(app, accountNo);
  const database = app.get(Database);
  if (at === undefined) {
    const now = await findBalance(database, owner, anyAge);
    if (!now) throw new Refused([`no account ${accountNo}`]);
    return { owner, balance: now };
  }
  const moment = await momentOf(app, owner, at);
  const store = app.get<EventStore>(EventStore);
  const then = await database.transaction(
    (transaction) =>
      findBalanceAsOf({ database: transaction, store }, owner, moment.position, anyAge),
    { readOnly: true, statementTimeoutMs },
  );
  if (!then)
    throw new Refused([
      `account ${accountNo} was opened at position ${owner.openedAt}, after position ${moment.position}`,
    ]);
  return { owner, balance: then, moment };
}

function textOf({ owner, balance: found, moment }: Found): readonly string[] {
  const { accountNo, currency, postedMinor, reservedMinor, availableMinor, position } = found;
  const day = moment?.day;
  const ofDay = day ? `, the end of ${day.date} in ${owner.timezone}` : '';
  return [
    `account ${accountNo} of ${owner.name} (${owner.merchantId}), ${owner.mode} mode`,
    `  posted     ${money(postedMinor, currency)}`,
    `  reserved   ${money(reservedMinor, currency)}`,
    `  available  ${money(availableMinor, currency)}`,
    `  as of      position ${position}${ofDay}`,
    ...(day?.isOver === false ? ['  the day is not over: more may come'] : []),
  ];
}

function jsonOf({ owner, balance: found, moment }: Found): object {
  return {
    account_no: found.accountNo,
    merchant_id: owner.merchantId,
    mode: owner.mode,
    currency: found.currency,
    posted_minor: found.postedMinor,
    reserved_minor: found.reservedMinor,
    available_minor: found.availableMinor,
    position: found.position,
    day: moment?.day?.date ?? null,
    day_is_over: moment?.day?.isOver ?? null,
  };
}
