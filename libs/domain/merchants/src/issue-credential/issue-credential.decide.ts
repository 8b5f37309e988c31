import { ok, refuse, type Result } from '#domain/kernel';
import { type Merchant } from '../merchant.js';
import { type CredentialIssued } from '../merchant.events.js';

export function decideIssueCredential(
  credential: CredentialIssued['data'],
  state: Merchant,
): Result<readonly CredentialIssued[], 'unknown_merchant'> {
  if (state.kind === 'none') return refuse('unknown_merchant');
  return ok([{ type: 'CredentialIssued', data: credential }]);
}
