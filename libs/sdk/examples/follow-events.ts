/**
 * Handles every event once and in order, whatever happens to single deliveries. A webhook only signals that there is an
 * event, and the feed contains it. `WEBHOOK_SECRET=… PORT=3000 STATE=last-sequence.txt node follow-events.ts`.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type WebhookEvent, webhookReceiver } from '@pesapost/sdk';
import { client } from './demo-client.ts';

/** In your service, use a row that is written in the transaction that does the work. */
const file = process.env['STATE'] ?? 'last-sequence.txt';
let last = lastSequence();
const catchUpEveryMs = 60_000;

function handle({ sequence, type, data }: WebhookEvent): void {
  console.log(`${sequence} ${type}: ${data.reference}, ${data.amount_minor} minor`);
  writeFileSync(`${file}.new`, String(sequence));
  renameSync(`${file}.new`, file);
  last = sequence;
}

/** One run after the other, so that no two events are handled at the same time. */
let turn: Promise<unknown> = Promise.resolve();
function inTurn(work: () => Promise<void>): Promise<void> {
  const done = turn.then(work);
  turn = done.catch(() => undefined);
  return done;
}

async function catchUp(): Promise<void> {
  for await (const event of client.events.all({ afterSequence: last, limit: 100 })) handle(event);
}

const receiver = webhookReceiver({
  secrets: process.env['WEBHOOK_SECRET'] ?? '',
  onEvent: (event) =>
    inTurn(async () => {
      if (event.sequence <= last) return;
      if (event.sequence === last + 1) {
        handle(event);
        return;
      }
      console.log(`gap: ${last + 1} to ${event.sequence - 1}`);
      await catchUp();
      // The feed may be a moment behind. If the delivery is refused, it is sent again.
      if (event.sequence > last) throw new Error('the feed is not there yet');
    }),
});

const server = createServer(receiver.node);
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`listening on ${address?.port ?? 0}`);
});
// Reads the feed without a webhook. This covers events that came while this program was not running, and the newest
// event if its webhook is lost: no later webhook shows that gap.
const logged = (error: unknown): void => {
  console.error(error);
};
inTurn(catchUp).catch(logged);
setInterval(() => void inTurn(catchUp).catch(logged), catchUpEveryMs);

function lastSequence(): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}
