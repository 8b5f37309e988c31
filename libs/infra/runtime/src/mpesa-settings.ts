import { z } from 'zod';
import * as field from './settings-fields.js';

/** Settings for a mode's payouts; all of them or none are set. */
export interface MpesaPayoutSettings {
  /** The B2C short code that the money leaves. */
  readonly shortcode: string;
  /** The API operator's name at the rail. */
  readonly initiator: string;
  /** The operator's password, encrypted to the rail's certificate. It expires after 90 days. */
  readonly securityCredential: string;
  /** The day on which the operator's password expires, at 00:00 UTC; absent if it is not known here. */
  readonly initiatorExpires?: string;
  /** Maximum number of payouts a second that each worker gives to the rail. */
  readonly perSecond: number;
  /** True if the operator may reverse payments to the shortcode of collections. */
  readonly reverses?: true;
}

/** Settings for a mode's access to M-Pesa: Daraja, its sandbox, or the simulator. */
export interface MpesaRailSettings {
  /** Without a trailing slash. */
  readonly url: string;
  /** The paybill, or a till's store number, that pushes. */
  readonly shortcode: string;
  /** If set, customers pay this till (Buy Goods) instead of the shortcode. */
  readonly till?: string;
  readonly passkey: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  /** Addresses and CIDRs from which callbacks are trusted; for others a query decides. */
  readonly callbackIps: readonly string[];
  /** Amounts must be multiples of it, in minor units. */
  readonly stepMinor: bigint;
  /**
   * True if the rail may be asked each day for the payments that it took (Pull Transactions, for which the short code
   * is registered).
   */
  readonly pulls?: true;
  /** The account that holds payments without a push whose customers named no account; absent if none does. */
  readonly c2bAccount?: string;
  /** True if the rail is to refuse such payments when it asks before it takes them. */
  readonly refusesUnnamed?: true;
  /** Absent if the mode pays nothing out. */
  readonly payouts?: MpesaPayoutSettings;
  /** True if the rail may be asked for the balances of its accounts, which needs the operator of payouts. */
  readonly tellsBalance?: true;
}

const shortcode = z.string().regex(/^\d{5,8}$/, 'must be 5 to 8 digits');

const fields = {
  URL: field.httpUrl,
  SHORTCODE: shortcode,
  TILL: shortcode.optional(),
  PASSKEY: field.nonEmpty,
  CONSUMER_KEY: field.nonEmpty,
  CONSUMER_SECRET: field.nonEmpty,
  CALLBACK_IPS: field.addressRanges,
  STEP: field.wholeNumber(1, 1_000_000),
  B2C_SHORTCODE: shortcode.optional(),
  INITIATOR: field.nonEmpty.optional(),
  SECURITY_CREDENTIAL: field.nonEmpty.optional(),
  INITIATOR_EXPIRES: field.calendarDate.optional(),
  PAYOUT_RATE: field.wholeNumber(1, 1000),
  PULL: z.enum(['on', 'off'], 'must be on or off'),
  REVERSALS: z.enum(['on', 'off'], 'must be on or off'),
  BALANCE: z.enum(['on', 'off'], 'must be on or off').default('on'),
  C2B_ACCOUNT: z
    .string()
    .regex(/^\d{1,32}$/, 'must be an account number')
    .optional(),
  C2B_UNNAMED: z.enum(['accept', 'refuse'], 'must be accept or refuse').default('accept'),
} as const;
type FieldName = keyof typeof fields;
const fieldNames = Object.keys(fields) as FieldName[];

/** The names of the settings of both modes' M-Pesa rails. */
export const mpesaSettingNames: readonly string[] = ['DEMO', 'LIVE'].flatMap((mode) =>
  fieldNames.map((name) => `RAIL_MPESA_${mode}_${name}`),
);

/** The simulator's settings: no secrets, since the simulator moves no money. */
const simulator = (
  port: number,
): Record<
  Exclude<FieldName, 'TILL' | 'INITIATOR_EXPIRES' | 'C2B_ACCOUNT' | 'C2B_UNNAMED'>,
  string
> => ({
  URL: `http://127.0.0.1:${port}`,
  SHORTCODE: '174379',
  PASSKEY: 'simulator-passkey',
  CONSUMER_KEY: 'simulator-key',
  CONSUMER_SECRET: 'simulator-secret',
  CALLBACK_IPS: '127.0.0.1,::1',
  STEP: '1',
  B2C_SHORTCODE: '600000',
  INITIATOR: 'simulator-initiator',
  SECURITY_CREDENTIAL: 'simulator-credential',
  PAYOUT_RATE: '200',
  PULL: 'on',
  REVERSALS: 'on',
  BALANCE: 'on',
});

/** Daraja accepts whole shillings only, and rejects requests that come too fast (spike arrest). */
const daraja: Partial<Record<FieldName, string>> = {
  STEP: '100',
  PAYOUT_RATE: '20',
  PULL: 'off',
  REVERSALS: 'off',
};

/**
 * Reads RAIL_MPESA_<mode>_*. The demo mode without a URL is the simulator; the live mode without settings does not
 * exist. Adds faults to `problems`.
 */
export function mpesaRail(
  mode: 'DEMO' | 'LIVE',
  env: Readonly<Record<string, string>>,
  simulatorPort: number,
  problems: string[],
): MpesaRailSettings | undefined {
  const prefix = `RAIL_MPESA_${mode}_`;
  const given: Partial<Record<FieldName, string>> = {};
  for (const name of fieldNames) {
    const value = env[prefix + name];
    if (value !== undefined) given[name] = value;
  }
  if (mode === 'LIVE' && Object.keys(given).length === 0) return undefined;
  const isSimulator = mode === 'DEMO' && given.URL === undefined;
  const defaults = isSimulator
    ? simulator(simulatorPort)
    : { ...daraja, ...(mode === 'DEMO' ? { CALLBACK_IPS: '' } : {}) };

  const parsed = z.object(fields).safeParse({ ...defaults, ...given });
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const name = issue.path[0] as FieldName;
      problems.push(
        `${prefix}${name}: ${given[name] === undefined ? missing(name) : issue.message}`,
      );
    }
    return undefined;
  }
  if (mode === 'LIVE' && parsed.data.CALLBACK_IPS.length === 0)
    problems.push(`${prefix}CALLBACK_IPS: ${missing('CALLBACK_IPS')}`);
  const { data } = parsed;
  const payouts = payoutSettings(prefix, data, problems);
  return {
    url: data.URL,
    shortcode: data.SHORTCODE,
    ...(data.TILL === undefined ? {} : { till: data.TILL }),
    passkey: data.PASSKEY,
    consumerKey: data.CONSUMER_KEY,
    consumerSecret: data.CONSUMER_SECRET,
    callbackIps: data.CALLBACK_IPS,
    stepMinor: BigInt(data.STEP),
    ...(data.PULL === 'on' ? { pulls: true } : {}),
    ...(data.C2B_ACCOUNT === undefined ? {} : { c2bAccount: data.C2B_ACCOUNT }),
    ...(data.C2B_UNNAMED === 'refuse' ? { refusesUnnamed: true } : {}),
    ...(payouts === undefined ? {} : { payouts }),
    ...(payouts !== undefined && data.BALANCE !== 'off' ? { tellsBalance: true } : {}),
  };
}

const payoutFields = ['B2C_SHORTCODE', 'INITIATOR', 'SECURITY_CREDENTIAL'] as const;

function payoutSettings(
  prefix: string,
  data: Readonly<Partial<Record<(typeof payoutFields)[number], string | undefined>>> & {
    readonly INITIATOR_EXPIRES?: string | undefined;
    readonly PAYOUT_RATE: number;
    readonly REVERSALS: 'on' | 'off';
  },
  problems: string[],
): MpesaPayoutSettings | undefined {
  const absent = payoutFields.filter((name) => data[name] === undefined);
  if (absent.length > 0 && absent.length < payoutFields.length)
    problems.push(
      ...absent.map(
        (name) => `${prefix}${name}: is required as soon as another setting of payouts is set`,
      ),
    );
  const { B2C_SHORTCODE, INITIATOR, SECURITY_CREDENTIAL, INITIATOR_EXPIRES } = data;
  if (INITIATOR_EXPIRES !== undefined && absent.length === payoutFields.length)
    problems.push(`${prefix}INITIATOR_EXPIRES: is set, but no setting of payouts is`);
  return B2C_SHORTCODE !== undefined && INITIATOR !== undefined && SECURITY_CREDENTIAL !== undefined
    ? {
        shortcode: B2C_SHORTCODE,
        initiator: INITIATOR,
        securityCredential: SECURITY_CREDENTIAL,
        ...(INITIATOR_EXPIRES === undefined ? {} : { initiatorExpires: INITIATOR_EXPIRES }),
        perSecond: data.PAYOUT_RATE,
        ...(data.REVERSALS === 'on' ? { reverses: true } : {}),
      }
    : undefined;
}

function missing(name: FieldName): string {
  return name === 'CALLBACK_IPS'
    ? 'is required in live mode: the addresses from which Safaricom sends callbacks'
    : 'is required as soon as another setting of this rail is set';
}
