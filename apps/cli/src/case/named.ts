import { type CollectionKey } from '#domain/collections';
import { Clock, type Result } from '#domain/kernel';
import { type PayoutBatchKey } from '#domain/payouts';
import {
  type BatchCase,
  BatchCases,
  type Case,
  Cases,
  type Item,
  type ItemType,
  itemTypes,
  type Named,
  type NamedBatch,
  nextActions,
  type NotOne,
  type NotOneBatch,
  RailSchedule,
} from '#desk/operators';
import { type INestApplicationContext } from '@nestjs/common';
import { Option } from 'commander';
import { Refused } from '../refused.js';
import { nextSection, summary } from './case-text.js';

export const typeOption = new Option(
  '--type <type>',
  'needed if a collection and a payout have the same reference',
).choices(itemTypes);

/** @throws Refused if there is no such collection or payout, or more than one */
export async function loadCase(app: INestApplicationContext, named: Named): Promise<Case> {
  return itemOrRefused(await app.get(Cases).load(named));
}

/** @throws Refused if there is none, or more than one */
export async function itemNamed(app: INestApplicationContext, named: Named): Promise<Item> {
  return itemOrRefused(await app.get(Cases).itemNamed(named));
}

/**
 * @returns undefined if neither exists
 * @throws Refused if both exist and no type was given
 */
export async function findItem(
  app: INestApplicationContext,
  key: CollectionKey,
  type: ItemType | undefined,
): Promise<Item | undefined> {
  return itemOrRefused(await app.get(Cases).findItem(key, type));
}

/** @throws Refused if there is no such batch, or more than one; DependencyUnavailable if the views are being built */
export async function loadBatch(
  app: INestApplicationContext,
  named: NamedBatch,
): Promise<BatchCase> {
  return batchOrRefused(await app.get(BatchCases).load(named));
}

/** @throws Refused if there is none, or more than one */
export async function batchNamed(
  app: INestApplicationContext,
  named: NamedBatch,
): Promise<PayoutBatchKey> {
  return batchOrRefused(await app.get(BatchCases).named(named));
}

/** Lines that show the state of the collection or payout after a refusal; none if it does not exist. */
export async function standing(
  app: INestApplicationContext,
  { type, key: { merchantId: merchant, mode, reference } }: Item,
): Promise<readonly string[]> {
  const found = await app.get(Cases).load({ reference, merchant, mode, type });
  if (!found.ok) return [];
  const next = nextActions(found.value, app.get(RailSchedule));
  return ['', ...summary(found.value), ...nextSection(next, app.get<Clock>(Clock).now())];
}

/** The message for a reference that names nothing. */
export function unknown({
  reference,
  merchant,
  mode,
  type,
}: Omit<Named, 'type'> & { readonly type?: string }): string {
  const whose = merchant === undefined ? '' : ` for merchant ${merchant}`;
  const what = type ?? 'collection or payout';
  return `no ${what} ${reference}${whose}${mode === undefined ? '' : ` in ${mode} mode`}`;
}

function itemOrRefused<Value>(result: Result<Value, NotOne>): Value {
  if (result.ok) return result.value;
  const { refusal } = result;
  switch (refusal.why) {
    case 'unknown':
      throw new Refused([unknown(refusal.named)]);
    case 'both':
      throw new Refused([
        `a collection and a payout have the reference ${refusal.reference}: say which with --type`,
      ]);
    case 'several':
      throw new Refused([
        `${refusal.reference} is not unique; say which:`,
        ...refusal.items.map(
          ({ type, key }) => `  --type ${type} --merchant ${key.merchantId} --mode ${key.mode}`,
        ),
      ]);
  }
}

function batchOrRefused<Value>(result: Result<Value, NotOneBatch>): Value {
  if (result.ok) return result.value;
  const { refusal } = result;
  if (refusal.why === 'unknown')
    throw new Refused([unknown({ ...refusal.named, type: 'batch of payouts' })]);
  throw new Refused([
    `${refusal.keys[0]?.reference ?? ''} is not unique; say which:`,
    ...refusal.keys.map((key) => `  --merchant ${key.merchantId} --mode ${key.mode}`),
  ]);
}
