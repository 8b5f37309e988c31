import { type CredentialDetails, type IpListDetails } from '#domain/merchants';
import { roleFrom, type RoleTerms } from '#domain/people';
import { type NewAccessRequest } from '#records/people';
import { minKeyBits, parsePublicKey } from '#shared/signing';

/** The change that a request asks for, in the form in which it is made or proposed. */
export type AskedChange =
  | { readonly kind: 'credential'; readonly details: CredentialDetails & { readonly mode: 'live' } }
  | { readonly kind: 'ip_list'; readonly details: IpListDetails }
  | { readonly kind: 'role' | 'role_removal'; readonly details: RoleTerms };

/** The stored content of a request. A role counts in both modes, everything else is asked for in live mode. */
export function writtenChange({
  kind,
  details,
}: AskedChange): Omit<NewAccessRequest, 'id' | 'merchantId' | 'reason' | 'askedBy'> {
  const written = { kind, details: JSON.stringify(details) };
  switch (kind) {
    case 'credential':
      return { ...written, mode: 'live', about: details.publicKey.fingerprint };
    case 'ip_list':
      return { ...written, mode: 'live', about: details.credentialId };
    case 'role':
    case 'role_removal':
      return { ...written, about: `${details.person} ${details.role}` };
  }
}

/**
 * Reads a stored request.
 * @returns undefined if it is not one that a form writes: another merchant, a role of the platform, a wrong fingerprint
 */
export function changeIn({
  kind,
  merchantId,
  details,
}: Pick<NewAccessRequest, 'kind' | 'merchantId' | 'details'>): AskedChange | undefined {
  const asked = { kind, details: JSON.parse(details) as unknown } as AskedChange;
  if (asked.details.merchantId !== merchantId) return undefined;
  switch (asked.kind) {
    case 'credential': {
      const { pem, fingerprint } = asked.details.publicKey;
      const key = parsePublicKey(pem, minKeyBits);
      return key.ok && key.value.fingerprint === fingerprint ? asked : undefined;
    }
    case 'ip_list':
      return asked;
    case 'role':
    case 'role_removal':
      return roleFrom(asked.details.role, merchantId) ? asked : undefined;
  }
}
