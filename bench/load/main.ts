import { Allowance, send } from './send.js';
import { sendAtRate } from './send-at-rate.js';
import { type Order, type Report } from './protocol.js';
import { signAll } from './signed-request.js';

process.title = 'pesapost-bench-load';

let signed: Buffer[] = [];
let allowance = new Allowance(0);

const report = (message: Report): void => {
  process.send?.(message);
};

/** @throws the refusal of a request that cannot be signed: it ends the process, and with it the case */
async function follow(order: Order): Promise<void> {
  switch (order.kind) {
    case 'sign':
      signed.push(...(await signAll(order.signer, order.requests)));
      report({ kind: 'signed' });
      break;
    case 'repeat':
      signed = Array<Buffer>(order.times).fill(Buffer.from(order.bytes, 'base64'));
      report({ kind: 'signed' });
      break;
    case 'fire': {
      const { shot } = order;
      const requests = signed;
      signed = [];
      allowance = new Allowance(shot.allowance ?? Infinity);
      const { perSecond } = shot;
      const burst =
        perSecond === undefined
          ? await send(requests, shot, allowance)
          : await sendAtRate(requests, { ...shot, perSecond });
      report({ kind: 'fired', burst });
      break;
    }
    case 'allow':
      allowance.add(order.requests);
      break;
  }
}

/** The load generator is a process of its own, so that its cost can be separated from the service's. */
process.on('message', (order: Order) => {
  void follow(order);
});
process.on('disconnect', () => process.exit(0));
