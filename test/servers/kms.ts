import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

interface KmsRequest {
  readonly KeyId?: string;
  readonly Plaintext?: string;
  readonly CiphertextBlob?: string;
  readonly EncryptionContext?: Readonly<Record<string, string>>;
}

/** A key service with the API of AWS KMS: it binds a ciphertext to its context, and its key never leaves it. */
export class KmsDouble {
  readonly #key = randomBytes(32);
  readonly #server: Server;
  /** The operations of the requests so far. */
  readonly asked: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => {
      void read(request).then((body) => {
        const operation = String(request.headers['x-amz-target']).replace('TrentService.', '');
        this.asked.push(operation);
        const answer = this.#answer(operation, body);
        response.writeHead('__type' in answer ? 400 : 200, {
          'content-type': 'application/x-amz-json-1.1',
        });
        response.end(JSON.stringify(answer));
      });
    });
  }

  static async start(): Promise<KmsDouble> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new KmsDouble(server);
  }

  /** The environment in which AWS' own SDK calls it. */
  get env(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      AWS_ENDPOINT_URL_KMS: `http://127.0.0.1:${port}`,
      AWS_REGION: 'af-south-1',
      AWS_ACCESS_KEY_ID: 'double',
      AWS_SECRET_ACCESS_KEY: 'double',
    };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(operation: string, body: KmsRequest): object {
    const context = JSON.stringify(Object.entries(body.EncryptionContext ?? {}).sort());
    switch (operation) {
      case 'GenerateDataKeyWithoutPlaintext':
        return { KeyId: body.KeyId, CiphertextBlob: this.#seal(randomBytes(32), context) };
      case 'Encrypt': {
        const bytes = Buffer.from(body.Plaintext ?? '', 'base64');
        return { KeyId: body.KeyId, CiphertextBlob: this.#seal(bytes, context) };
      }
      case 'Decrypt':
        return this.#open(Buffer.from(body.CiphertextBlob ?? '', 'base64'), context);
      default:
        return { __type: 'UnsupportedOperationException', message: operation };
    }
  }

  #seal(bytes: Buffer, context: string): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
  }

  #open(blob: Buffer, context: string): object {
    const decipher = createDecipheriv('aes-256-gcm', this.#key, blob.subarray(0, 12));
    decipher.setAuthTag(blob.subarray(12, 28)).setAAD(Buffer.from(context));
    try {
      const bytes = Buffer.concat([decipher.update(blob.subarray(28)), decipher.final()]);
      return { Plaintext: bytes.toString('base64') };
    } catch {
      return { __type: 'InvalidCiphertextException', message: 'not of this key or context' };
    }
  }
}

async function read(request: IncomingMessage): Promise<KmsRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as KmsRequest;
}
