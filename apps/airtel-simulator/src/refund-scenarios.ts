import { collectionOutcome, type Report } from './reports.js';

/** The rail's behaviour for refunds to one number. */
export interface RefundScenario {
  /** True if the money goes back. */
  readonly isDone: boolean;
  /** The answer if it is not that of a refund that was done; `lost`: the connection breaks. */
  readonly answer: Report | 'done' | 'lost';
  /** True if a person refunded the payment in the portal before the request came. */
  readonly isDoneByHand?: true;
  /** True if only the first request behaves so. The next one is done. */
  readonly isOnce?: true;
}

const refunds: RefundScenario = { isDone: true, answer: 'done' };
const timedOut: Report = { bare: 408, text: '<html><body>408 Request Time-out</body></html>' };

/** Like test cards: the payer's whole number decides. Payments of other numbers are refunded at once. */
export const refundScenarios: Readonly<Record<string, RefundScenario>> = {
  254733000201: { isDone: false, answer: collectionOutcome('008') },
  254733000202: { ...refunds, answer: 'lost' },
  254733000203: { ...refunds, answer: { router: 'ROUTER117' } },
  254733000204: { isDone: false, answer: { router: 'ROUTER117' }, isOnce: true },
  254733000205: { ...refunds, isDoneByHand: true },
  254733000206: { ...refunds, answer: timedOut },
  254733000207: { ...refunds, answer: collectionOutcome('000') },
};

/** @param msisdn nine digits, without the country's code */
export function refundScenarioOf(msisdn: string): RefundScenario {
  return refundScenarios[`254${msisdn}`] ?? refunds;
}
