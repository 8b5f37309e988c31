import { callersOf } from '#shared/http';
import { type V3CredentialRecord } from '#views/merchants';

/** What a V3 request proves itself with (EVT-24); V3 has no nonce and no timestamp. */
export interface RequestEvidence {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Lower-case hex SHA-256 of the body's bytes. */
  readonly bodyDigest: string;
  readonly signature: string;
  readonly keyFingerprint: string;
}

/** Who makes a request whose signature verified. */
export interface Caller {
  readonly credential: V3CredentialRecord;
  readonly requestId: string;
  readonly evidence: RequestEvidence;
}

export const { rememberCaller, ByCaller } = callersOf<Caller>();
