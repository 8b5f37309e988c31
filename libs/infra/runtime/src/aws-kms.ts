import {
  DecryptCommand,
  EncryptCommand,
  GenerateDataKeyWithoutPlaintextCommand,
  KMSClient,
} from '@aws-sdk/client-kms';
import { type KeyService } from './key-service.js';

/** For a start, not for a request: a start waits at most three tries. */
const limits = { tryMs: 5000, tries: 3 };
const masterKeyBytes = 32;

/** AWS KMS with the region and credentials of the environment, as AWS' own tools find them. */
export class AwsKms implements KeyService {
  readonly #client = new KMSClient({
    maxAttempts: limits.tries,
    requestHandler: { requestTimeout: limits.tryMs, connectionTimeout: limits.tryMs },
  });

  async decrypt(blob: Uint8Array, id: string): Promise<Uint8Array> {
    const asked = new DecryptCommand({ CiphertextBlob: blob, EncryptionContext: contextOf(id) });
    return required((await this.#client.send(asked)).Plaintext);
  }

  async encrypt(kmsKey: string, id: string, bytes?: Uint8Array): Promise<Uint8Array> {
    const named = { KeyId: kmsKey, EncryptionContext: contextOf(id) };
    const answer =
      bytes === undefined
        ? await this.#client.send(
            new GenerateDataKeyWithoutPlaintextCommand({ ...named, NumberOfBytes: masterKeyBytes }),
          )
        : await this.#client.send(new EncryptCommand({ ...named, Plaintext: bytes }));
    return required(answer.CiphertextBlob);
  }
}

const contextOf = (id: string) => ({ service: 'pesapost', masterKey: id });

function required(bytes: Uint8Array | undefined): Uint8Array {
  if (bytes === undefined) throw new Error('the answer has no bytes');
  return bytes;
}
