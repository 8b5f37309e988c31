import { z } from 'zod';
import * as field from './settings-fields.js';

/** Settings for a mode's access to Airtel Money: its production, its UAT, or the simulator. */
export interface AirtelRailSettings {
  /** Without a trailing slash. */
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The day on which the client's secret expires, at 00:00 UTC; absent if it is not known here. */
  readonly secretExpires?: string;
  /** ISO 3166 alpha-2 of the market. */
  readonly country: string;
  /** Amounts must be multiples of it, in minor units. */
  readonly stepMinor: bigint;
  /** The requests that are signed: pushes alone, or payouts, too. Absent if none is. */
  readonly signs?: 'collections' | 'all';
  /** Absent if the mode pays nothing out. */
  readonly payouts?: {
    /** The PIN of the account that pays out, encrypted to Airtel's key, in base64. */
    readonly encryptedPin: string;
    /** The day on which the PIN or its encryption key expires, at 00:00 UTC; absent if it is not known here. */
    readonly pinExpires?: string;
    /** Maximum number of payouts a second that each worker gives to the rail. */
    readonly perSecond: number;
  };
}

const fields = {
  URL: field.httpUrl,
  CLIENT_ID: field.nonEmpty,
  CLIENT_SECRET: field.nonEmpty,
  SECRET_EXPIRES: field.calendarDate.optional(),
  COUNTRY: z.enum(['KE'], 'must be KE').default('KE'),
  STEP: field.wholeNumber(1, 1_000_000).prefault('100'),
  SIGNING: z.enum(['off', 'collections', 'all'], 'must be off, collections or all').default('off'),
  ENCRYPTED_PIN: field.nonEmpty.optional(),
  PIN_EXPIRES: field.calendarDate.optional(),
  PAYOUT_RATE: field.wholeNumber(1, 1000).prefault('10'),
} as const;
type FieldName = keyof typeof fields;
const fieldNames = Object.keys(fields) as FieldName[];

/** The names of the settings of both modes' Airtel rails. */
export const airtelSettingNames: readonly string[] = ['DEMO', 'LIVE'].flatMap((mode) =>
  fieldNames.map((name) => `RAIL_AIRTEL_${mode}_${name}`),
);

/**
 * Reads RAIL_AIRTEL_<mode>_*. A mode without settings has no such rail.
 * @param problems gains a line for each fault
 */
export function airtelRail(
  mode: 'DEMO' | 'LIVE',
  env: Readonly<Record<string, string>>,
  problems: string[],
): AirtelRailSettings | undefined {
  const prefix = `RAIL_AIRTEL_${mode}_`;
  const given: Partial<Record<FieldName, string>> = {};
  for (const name of fieldNames) {
    const value = env[prefix + name];
    if (value !== undefined) given[name] = value;
  }
  if (Object.keys(given).length === 0) return undefined;
  const { data, error } = z.object(fields).safeParse(given);
  for (const { path, message } of error?.issues ?? []) {
    const name = path[0] as FieldName;
    const why =
      given[name] === undefined
        ? 'is required as soon as another setting of this rail is set'
        : message;
    problems.push(`${prefix}${name}: ${why}`);
  }
  if (!data) return undefined;
  const { ENCRYPTED_PIN: encryptedPin, PIN_EXPIRES: pinExpires, PAYOUT_RATE: perSecond } = data;
  if (pinExpires !== undefined && encryptedPin === undefined)
    problems.push(`${prefix}PIN_EXPIRES: is set, but ${prefix}ENCRYPTED_PIN is not`);
  return {
    url: data.URL,
    clientId: data.CLIENT_ID,
    clientSecret: data.CLIENT_SECRET,
    ...(data.SECRET_EXPIRES !== undefined && { secretExpires: data.SECRET_EXPIRES }),
    country: data.COUNTRY,
    stepMinor: BigInt(data.STEP),
    ...(data.SIGNING !== 'off' && { signs: data.SIGNING }),
    ...(encryptedPin !== undefined && {
      payouts: { encryptedPin, ...(pinExpires !== undefined && { pinExpires }), perSecond },
    }),
  };
}
