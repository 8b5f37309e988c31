import { client } from './client.ts';

// sample
// Each event after the last one that you handled.
const handled = { afterSequence: 41 };
for await (const event of client.events.all(handled)) {
  console.log(event.sequence, event.type);
}
