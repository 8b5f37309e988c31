import { ok, refuse, type Result } from '#kernel';
import { type Merchant } from '../merchant.js';
import { type CredentialIssued } from '../merchant.events.js';
import { type InspectedKey } from './issue-credential.command.js';

/** Smaller RSA keys are refused at registration (contract/decisions.md §1, Signature). */
export const minimumModulusBits = 2048;

export function decideIssueCredential(
  credential: CredentialIssued['data'],
  key: InspectedKey,
  state: Merchant,
): Result<readonly CredentialIssued[], 'unknown_merchant' | 'key_too_small'> {
  if (state.kind === 'none') return refuse('unknown_merchant');
  if (key.modulusBits < minimumModulusBits) return refuse('key_too_small');
  return ok([{ type: 'CredentialIssued', data: credential }]);
}
