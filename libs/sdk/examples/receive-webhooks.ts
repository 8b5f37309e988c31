/** Receives webhooks: `WEBHOOK_SECRET=… PORT=3000 node receive-webhooks.ts`. */
import { createServer } from 'node:http';
import { webhookReceiver } from '@pesapost/sdk';

/** Deliveries repeat. In your service, use a unique column, in the transaction that does the work. */
const handled = new Set<string>();

const receiver = webhookReceiver({
  secrets: (process.env['WEBHOOK_SECRET'] ?? '').split(','),
  onEvent: ({ id, type, data }) => {
    if (handled.has(id)) return;
    handled.add(id);
    console.log(`${type}: ${data.reference}, ${data.amount_minor} minor`);
  },
  onRefused: ({ code }) => {
    console.log(`refused: ${code}`);
  },
});

const server = createServer(receiver.node);
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`listening on ${address?.port ?? 0}`);
});
