import { Allowance, send } from './send.js';
import { type Order, type Report } from './protocol.js';
import { signAll } from './signed-request.js';

process.title = 'pesapost-bench-load';

let signed: Buffer[] = [];
let allowance = new Allowance(0);

const report = (message: Report): void => {
  process.send?.(message);
};

/** The load generator: a process of its own, so that what it costs can be told from what the service costs. */
process.on('message', (order: Order) => {
  switch (order.kind) {
    case 'sign':
      signed = signAll(order.signer, order.requests);
      report({ kind: 'signed' });
      break;
    case 'repeat':
      signed = Array<Buffer>(order.times).fill(Buffer.from(order.bytes, 'base64'));
      report({ kind: 'signed' });
      break;
    case 'fire':
      allowance = new Allowance(order.shot.allowance ?? Infinity);
      void send(signed, order.shot, allowance).then((burst) => {
        signed = [];
        report({ kind: 'fired', burst });
      });
      break;
    case 'allow':
      allowance.add(order.requests);
      break;
  }
});
process.on('disconnect', () => process.exit(0));
