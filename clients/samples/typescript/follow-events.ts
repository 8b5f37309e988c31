import {
  existsSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import {
  type WebhookEvent,
  webhookReceiver,
} from '@pesapost/sdk';
import { client } from './client.ts';

const { PORT, WEBHOOK_SECRET = '' } = process.env;
const handle = ({ sequence, type, data }: WebhookEvent) => {
  console.log(`${sequence} ${type} ${data.reference}`);
};

// sample
// In your service: a row that is written with the work.
const file = 'last-sequence.txt';
let last = existsSync(file)
  ? Number(readFileSync(file, 'utf8'))
  : 0;

// A webhook only says that there are events. The feed has them all.
async function catchUp(newest: number) {
  for await (const event of client.events.all({
    afterSequence: last,
  })) {
    handle(event);
    last = event.sequence;
    writeFileSync(file, String(last));
  }
  // The feed may be a moment behind. After a 500, the webhook is sent again.
  if (last < newest) throw new Error('the feed is behind');
}

// One run after the other.
let turn = Promise.resolve();
const receiver = webhookReceiver({
  secrets: WEBHOOK_SECRET,
  onEvent: ({ sequence }) => {
    turn = turn
      .catch(() => undefined)
      .then(() => catchUp(sequence));
    return turn;
  },
});
createServer(receiver.node).listen(PORT);
