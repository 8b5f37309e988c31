import { type Mode } from '#domain/kernel';
import { type Credential as CredentialRecord } from '#views/merchants';
import { AddressRanges, parseRate, type Rate } from '#infra/runtime';
import { parsePublicKey, type PublicKey } from '#shared/signing';

/** A credential as the checks need it: what is costly to read is read once. */
export interface Credential {
  readonly credentialId: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly holder: string;
  readonly publicKey: PublicKey;
  readonly addresses: AddressRanges;
  readonly rate: Rate;
}

/** @throws TypeError for a key that registration should have refused: a defect */
export function readyCredential(record: CredentialRecord, defaultRate: Rate): Credential {
  const { credentialId, merchantId, mode, holder, rate } = record;
  const publicKey = parsePublicKey(record.publicKeyPem);
  if (!publicKey.ok)
    throw new TypeError(`credential ${credentialId} has a key that is ${publicKey.refusal}`);
  return {
    credentialId,
    merchantId,
    mode,
    holder,
    publicKey: publicKey.value,
    addresses: new AddressRanges(record.ipRanges),
    rate: (rate === undefined ? undefined : parseRate(rate)) ?? defaultRate,
  };
}
