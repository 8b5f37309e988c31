import { type CallsWanted } from '#records/credentials';
import { positiveWhole } from '../../access/posted-form.js';

/** First digits of the HTTP statuses that an API answers with. */
export const statusClasses = [2, 4, 5] as const;

const maxText = 200;

/** Tab and filters of the list of calls. */
export interface CallsQuery extends Pick<
  CallsWanted,
  'before' | 'onlyRefused' | 'statusClass' | 'text'
> {
  readonly onlyRefused: boolean;
  readonly credentialId?: string;
}

/** Reads tab and filters. It ignores a value that none of our links and forms sends. */
export function readCallsQuery(
  parameters: URLSearchParams,
  credentialIds: readonly string[],
): CallsQuery {
  const before = positiveWhole(parameters.get('before'));
  const statusClass = statusClasses.find((one) => String(one) === parameters.get('status'));
  const credentialId = credentialIds.find((one) => one === parameters.get('client'));
  const text = (parameters.get('text') ?? '').trim().slice(0, maxText);
  return {
    onlyRefused: parameters.get('tab') === 'errors',
    ...(statusClass !== undefined && { statusClass }),
    ...(credentialId !== undefined && { credentialId }),
    // A text with a NUL is never stored, and Postgres takes none.
    ...(text !== '' && !text.includes('\0') && { text }),
    ...(before !== undefined && { before }),
  };
}

/** The address of the list with this tab and these filters. */
export function callsAddress(
  base: string,
  { onlyRefused, statusClass, credentialId, text, before }: CallsQuery,
): string {
  const search = new URLSearchParams({
    ...(onlyRefused && { tab: 'errors' }),
    ...(statusClass !== undefined && { status: String(statusClass) }),
    ...(credentialId !== undefined && { client: credentialId }),
    ...(text !== undefined && { text }),
    ...(before !== undefined && { before: before.toString() }),
  }).toString();
  return `${base}/requests${search === '' ? '' : `?${search}`}`;
}
