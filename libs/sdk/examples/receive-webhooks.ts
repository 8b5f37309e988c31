/** Receives webhooks: `WEBHOOK_SECRET=… PORT=3000 node receive-webhooks.ts`. */
import { createServer, type IncomingMessage } from 'node:http';
import { verifyWebhook, WebhookVerificationError } from '@pesapost/sdk';

const secrets = (process.env['WEBHOOK_SECRET'] ?? '').split(',');
const maxBody = 64 * 1024;
/** Deliveries repeat. In your service: a unique column, in the transaction that does the work. */
const handled = new Set<string>();

const server = createServer((request, response) => {
  void receive(request).then((status) => response.writeHead(status).end());
});
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`listening on ${address?.port ?? 0}`);
});

async function receive(request: IncomingMessage): Promise<number> {
  const payload = await rawBody(request);
  if (!payload) return 413;
  try {
    const event = await verifyWebhook({ payload, headers: request.headers, secrets });
    if (!handled.has(event.id)) {
      handled.add(event.id);
      console.log(`${event.type}: ${event.data.reference}, ${event.data.amount_minor} minor`);
    }
    return 204;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.log(`refused: ${error.code}`);
    return 400;
  }
}

/** The bytes as they came: a body that was parsed and written again has another signature. */
async function rawBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBody) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
