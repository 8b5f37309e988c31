import { type SealedTable } from '#records/keys';
import { messageLabel, railMessageLabel } from '#shared/signing';
import { unopenedLabel } from '#records/rails';
import { sealedLinkSecrets } from '#records/credentials';
import { sealedPayoutBatches, sealedPayoutPhones } from '#records/payouts';
import { sealedHeldForms, sealedRenewals } from '#records/people';
import { sealedWebhookSecrets } from '#records/webhooks';

const byId = { idColumn: 'id', idType: 'uuid', aad: (id: string) => id } as const;

/** The tables that this module seals. */
export const sealedRecordTables: readonly SealedTable[] = [
  sealedLinkSecrets,
  sealedWebhookSecrets,
  sealedPayoutPhones,
  sealedPayoutBatches,
  sealedHeldForms,
  sealedRenewals,
  {
    ...byId,
    table: 'rail_messages',
    label: () => railMessageLabel,
    underDataKey: true,
    hasDigest: true,
    isEmptiedByErasure: true,
  },
  {
    ...byId,
    table: 'sealed_messages',
    label: () => messageLabel,
    underDataKey: true,
    hasOwnKey: true,
  },
  { ...byId, table: 'callback_inbox', label: () => railMessageLabel, underDataKey: true },
  { ...byId, table: 'unopened_callbacks', label: () => unopenedLabel, underDataKey: true },
];
