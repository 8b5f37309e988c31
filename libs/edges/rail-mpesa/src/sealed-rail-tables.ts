import { type SealedTable } from '#infra/postgres';
import { wordLabel } from './callback/raw-words.js';
import { unopenedLabel } from './callback/unopened-word.js';

const byId = { idColumn: 'id', idType: 'uuid', aad: (id: string) => id } as const;

/** What this module seals in the records. */
export const sealedRailTables: readonly SealedTable[] = [
  {
    ...byId,
    table: 'rail_messages',
    label: () => wordLabel,
    underDataKey: true,
    hasDigest: true,
  },
  { ...byId, table: 'callback_inbox', label: () => wordLabel, underDataKey: true },
  { ...byId, table: 'unopened_callbacks', label: () => unopenedLabel, underDataKey: true },
];
