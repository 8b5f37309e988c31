/** The rail's own bytes, encrypted. */
export interface RailMessage {
  readonly id: string;
  readonly stream: string;
  /** HMAC-SHA256 of the raw bytes under the key that `keyId` names: a plain digest would give a phone number away. */
  readonly digest: Buffer;
  readonly keyId: string;
  readonly ciphertext: Buffer;
}

/** Where the rail's own bytes are kept, encrypted: the evidence of what is posted on them. */
export abstract class RailMessages {
  /** Durable when it resolves; one whose id is there already changes nothing. @throws DependencyUnavailable */
  abstract keep(report: RailMessage): Promise<void>;
}
