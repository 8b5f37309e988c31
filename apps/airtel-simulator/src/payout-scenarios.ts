import { payoutOutcome, type PayoutCode, type Report } from './reports.js';
import { type Scenario, step } from './scenario.js';

type PayoutScenario = Scenario<PayoutCode>;

/** As Airtel does it: the money has moved when the answer comes, and the answer says so. */
const pays: PayoutScenario = {
  isAccepted: true,
  answer: 'after_first_step',
  report: 'status',
  begins: { status: 'TIP', code: '006' },
  steps: [step('TS', '001', [], 0)],
  enquiries: [],
  throttled: 0,
};

/** Answered with a code that leaves it open; the steps decide. */
const open = (code: PayoutCode, last: PayoutScenario['steps'][number]): PayoutScenario => ({
  ...pays,
  answer: 'at_once',
  report: payoutOutcome(code),
  begins: code === '006' ? { status: 'TIP', code } : { status: 'TA', code: '000' },
  steps: [last],
});

const paid = step<PayoutCode>('TS', '001');
const failed = step<PayoutCode>('TF', '005');

/** The first answer names a duplicate, as if the gateway had repeated the request on its own. */
const repeated = (code: PayoutCode): PayoutScenario => ({
  ...open(code, paid),
  begins: { status: 'TIP', code: '006' },
});

const notFound = payoutOutcome('015');
const timedOut: Report = { bare: 408, text: '<html><body>408 Request Time-out</body></html>' };

/** Like test cards: the whole number decides. A number that is not listed here is paid at once. */
export const payoutScenarios: Readonly<Record<string, PayoutScenario>> = {
  254733000101: { ...pays, steps: [step('TS', '001', [], 0), step('TS', '001', ['TS'])] },
  254733000102: open('000', paid),
  254733000103: open('006', paid),
  254733000104: open('014', paid),
  254733000105: { ...pays, steps: [step('TF', '005', [], 0)] },
  254733000106: { ...open('006', paid), answer: 'lost' },
  254733000107: repeated('017'),
  254733000108: repeated('011'),
  254733000109: { ...pays, isAccepted: false, answer: 'lost', steps: [] },
  254733000110: open('000', failed),
  254733000111: { ...pays, answer: 'late' },
  254733000112: { ...open('000', paid), steps: [] },
  254733000113: open('014', failed),
  254733000114: { ...pays, isAccepted: false, report: payoutOutcome('013'), steps: [] },
  254733000115: { ...open('006', paid), report: { router: 'ROUTER117' } },
  254733000116: { ...open('006', paid), report: timedOut },
  254733000117: open('006', step('TS', '001', ['TS'])),
  254733000118: { ...open('006', paid), answer: 'lost', enquiries: [notFound, notFound] },
};

/** @param msisdn nine digits, without the country's code */
export function payoutScenarioOf(msisdn: string): PayoutScenario {
  return payoutScenarios[`254${msisdn}`] ?? pays;
}
