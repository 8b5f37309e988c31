const save = (
  _id: string,
  type: string,
  data: { reference: string },
) => {
  console.log(`${type} ${data.reference}`);
};

// sample
import { createServer } from 'node:http';
import { webhookReceiver } from '@pesapost/sdk';

const { PORT, WEBHOOK_SECRET = '' } = process.env;
const receiver = webhookReceiver({
  secrets: WEBHOOK_SECRET,
  // Called once the signature has been verified.
  onEvent: ({ id, type, data }) => {
    save(id, type, data);
  },
});
createServer(receiver.node).listen(PORT);
