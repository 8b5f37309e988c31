import { type SealedTable } from '#adapters/keys';
import { railMessageLabel } from './callback/seal-rail-message.js';
import { unopenedLabel } from './callback/unopened-payload.js';

const byId = { idColumn: 'id', idType: 'uuid', aad: (id: string) => id } as const;

/** What this module seals in the records. */
export const sealedRailTables: readonly SealedTable[] = [
  {
    ...byId,
    table: 'rail_messages',
    label: () => railMessageLabel,
    underDataKey: true,
    hasDigest: true,
  },
  { ...byId, table: 'callback_inbox', label: () => railMessageLabel, underDataKey: true },
  { ...byId, table: 'unopened_callbacks', label: () => unopenedLabel, underDataKey: true },
];
