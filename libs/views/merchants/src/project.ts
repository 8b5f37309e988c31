import { assertNever } from '#domain/kernel';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type MerchantEvent, merchantIdOf, postgresTimeZone } from '#domain/merchants';
import { type Queryable } from '#infra/postgres';
import { announceCredential } from './credentials/query.js';
import {
  projectCredentialIssued,
  projectCredentialRevoked,
  projectExpirySet,
  projectIpListChanged,
} from './credentials/project.js';

const insertMerchant = `
  insert into merchants (merchant_id, name, timezone, country) values ($1, $2, $3, $4)`;
const insertAccount = `
  insert into accounts (account_no, merchant_id, mode, currency, position) values ($1, $2, $3, $4, $5)`;
const setFee = `
  insert into fee_schedules (merchant_id, mode, basis_points, flat_minor) values ($1, $2, $3, $4)
  on conflict (merchant_id, mode) do update set
    basis_points = excluded.basis_points, flat_minor = excluded.flat_minor`;
const setLimits = `
  insert into payout_terms (merchant_id, mode, max_minor, max_per_day_minor, automatic_max_minor, automatic_per_day_minor)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (merchant_id, mode) do update set
    max_minor = excluded.max_minor, max_per_day_minor = excluded.max_per_day_minor,
    automatic_max_minor = excluded.automatic_max_minor,
    automatic_per_day_minor = excluded.automatic_per_day_minor`;
const setDestinations = `
  insert into payout_terms (merchant_id, mode, destinations) values ($1, $2, $3)
  on conflict (merchant_id, mode) do update set destinations = excluded.destinations`;
const setVid = `update merchants set vid = $2 where merchant_id = $1`;
const setHosts = `update merchants set hosts = $2 where merchant_id = $1`;
const setChannels = `update accounts set channels = $2 where account_no = $1`;
const setStrict = `update merchants set checkout_strict = $2 where merchant_id = $1`;

/** Writes these events one by one: operators act only a few times a day. */
export async function projectMerchants(
  transaction: Queryable,
  events: readonly RecordedEvent<MerchantEvent>[],
): Promise<void> {
  for (const event of events) await projectMerchant(transaction, event);
}

async function projectMerchant(
  transaction: Queryable,
  event: RecordedEvent<MerchantEvent>,
): Promise<void> {
  const merchantId = merchantIdOf(event.stream);
  switch (event.type) {
    case 'MerchantRegistered': {
      const { name, timezone, country } = event.data;
      const zone = postgresTimeZone(timezone);
      await transaction.query(insertMerchant, [merchantId, name, zone, country]);
      return;
    }
    case 'AccountOpened': {
      const { accountNo, mode, currency } = event.data;
      const account = [accountNo, merchantId, mode, currency, event.position];
      await transaction.query(insertAccount, account);
      return announceCredential(transaction, merchantId);
    }
    case 'FeeScheduleSet': {
      const { mode, basisPoints, flatMinor } = event.data;
      await transaction.query(setFee, [merchantId, mode, basisPoints, flatMinor]);
      return;
    }
    case 'LimitsSet': {
      const { mode, maxMinor, maxPerDayMinor, automaticMaxMinor, automaticPerDayMinor } =
        event.data;
      const bounds = [maxMinor, maxPerDayMinor, automaticMaxMinor, automaticPerDayMinor];
      const values = bounds.map((bound) => bound ?? null);
      await transaction.query(setLimits, [merchantId, mode, ...values]);
      return announceCredential(transaction, merchantId);
    }
    case 'DestinationsSet': {
      const { mode, destinations } = event.data;
      const numbers = destinations?.map(({ phoneHmac }) => phoneHmac) ?? null;
      await transaction.query(setDestinations, [merchantId, mode, numbers]);
      return announceCredential(transaction, merchantId);
    }
    case 'WebhookEndpointSet':
      // The webhook outbox stores it.
      return;
    case 'PayoutsPaused':
    case 'PayoutsResumed':
      // The view of payouts stores it; the sender reads the stream itself.
      return;
    case 'HolderBound':
      // No view shows it: a person's decision reads the merchant’s own stream.
      return;
    case 'VidAssigned':
      return setOfMerchant(transaction, setVid, merchantId, event.data.vid);
    case 'HostsAllowed':
      return setOfMerchant(transaction, setHosts, merchantId, event.data.hosts);
    case 'AccountChannelsSet': {
      const { accountNo, channels } = event.data;
      await transaction.query(setChannels, [accountNo, channels]);
      return announceCredential(transaction, merchantId);
    }
    case 'CheckoutStrictSet':
      return setOfMerchant(transaction, setStrict, merchantId, event.data.strict);
    case 'CredentialIssued':
      return projectCredentialIssued(transaction, merchantId, event);
    case 'CredentialExpirySet':
      return projectExpirySet(transaction, event);
    case 'IpListChanged':
      return projectIpListChanged(transaction, event.data);
    case 'CredentialRevoked':
      return projectCredentialRevoked(transaction, event.data.credentialId);
    default:
      return assertNever(event);
  }
}

/** Sets a column of the merchant; the commit ends the replicas' caches of it. */
async function setOfMerchant(
  transaction: Queryable,
  statement: string,
  merchantId: string,
  value: string | boolean | readonly string[],
): Promise<void> {
  await transaction.query(statement, [merchantId, value]);
  await announceCredential(transaction, merchantId);
}
