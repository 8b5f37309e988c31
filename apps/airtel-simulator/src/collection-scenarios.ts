import { type CollectionCode, collectionOutcome, esbOutcome, type Report } from './reports.js';
import { type Scenario, step } from './scenario.js';

type CollectionScenario = Scenario<CollectionCode>;

const paid = step<CollectionCode>('TS', '001', ['TS']);
const paidSilently = step<CollectionCode>('TS', '001');
const failed = (code: CollectionCode) => step<CollectionCode>('TF', code, ['TF']);

const pays: CollectionScenario = {
  isAccepted: true,
  answer: 'at_once',
  report: collectionOutcome('006'),
  begins: { status: 'TIP', code: '006' },
  steps: [paid],
  enquiries: [],
  throttled: 0,
};

const fails = (code: CollectionCode): CollectionScenario => ({ ...pays, steps: [failed(code)] });

/** Answered with another report than "prompt sent", and paid all the same. */
const paysBehind = (report: Report): CollectionScenario => ({ ...pays, report });

/** Nothing is taken, and no prompt is shown. */
const refuses = (report: Report): CollectionScenario => ({
  ...pays,
  isAccepted: false,
  report,
  steps: [],
});

const notFound = collectionOutcome('025');
const timedOut: Report = { bare: 408, text: '<html><body>408 Request Time-out</body></html>' };
const unavailable: Report = {
  bare: 503,
  text: '<html><body>503 Service Unavailable</body></html>',
};

/** Like test cards: the whole number decides. A number that is not listed here pays. */
export const collectionScenarios: Readonly<Record<string, CollectionScenario>> = {
  254733000001: pays,
  254733000002: fails('002'),
  254733000003: fails('007'),
  254733000004: fails('008'),
  254733000005: fails('005'),
  254733000006: fails('024'),
  254733000007: fails('009'),
  // A callback says TS or TF, and so nothing about an expiry.
  254733000008: { ...pays, steps: [step('TE', '029')] },
  254733000009: refuses(collectionOutcome('010')),
  // Refused in the answer, but known: the enquiry says so, too.
  254733000010: {
    ...pays,
    report: collectionOutcome('003'),
    begins: { status: 'TF', code: '003' },
    steps: [],
  },
  254733000011: refuses({ ...collectionOutcome('005', 400), message: 'Msisdn Not Found' }),
  254733000012: { ...pays, steps: [paidSilently] },
  254733000013: { ...pays, steps: [step('TS', '001', ['TS', 'TS'])] },
  254733000014: { ...pays, steps: [step('TF', '007', ['TS'])] },
  254733000015: { ...pays, steps: [step('TS', '001', ['TF'])] },
  254733000016: { ...pays, answer: 'after_first_step', steps: [step('TS', '001', ['TS'], 0)] },
  254733000017: { ...pays, steps: [step('TIP', '006', ['TF']), step('TS', '001', ['TS'], 2)] },
  254733000018: { ...pays, steps: [step('TIP', '006', ['TIP']), step('TS', '001', ['TS'], 2)] },
  254733000019: {
    ...pays,
    report: collectionOutcome('000'),
    begins: { status: 'TA', code: '000' },
    steps: [step('TS', '001', ['TS'], 2)],
  },
  254733000020: { ...pays, begins: { status: 'TA', code: '000' }, steps: [] },
  254733000021: {
    ...pays,
    begins: { status: 'TI', code: '006' },
    steps: [step('TS', '001', ['TS'], 2)],
  },
  254733000022: { ...pays, answer: 'lost' },
  254733000023: { ...pays, answer: 'lost', steps: [paidSilently] },
  254733000024: { ...refuses(notFound), answer: 'lost' },
  254733000025: { ...pays, answer: 'late' },
  254733000026: paysBehind({ router: 'ROUTER117' }),
  254733000027: paysBehind(esbOutcome('ESB000001')),
  254733000028: { ...paysBehind(esbOutcome('ESB000004')), steps: [failed('008')] },
  254733000029: paysBehind(esbOutcome('ESB000008')),
  254733000030: {
    ...pays,
    steps: [paidSilently],
    enquiries: [esbOutcome('ESB000014'), esbOutcome('ESB000014')],
  },
  254733000031: paysBehind(esbOutcome('0000900')),
  254733000032: paysBehind(timedOut),
  254733000033: refuses(timedOut),
  254733000034: paysBehind(unavailable),
  254733000035: { ...pays, steps: [paidSilently], enquiries: [notFound, notFound] },
  254733000036: { ...pays, throttled: 2 },
  254733000037: { ...pays, isForged: true },
  254733000038: { ...pays, steps: [failed('024'), step('TS', '001', ['TS'], 2)] },
  254733000039: paysBehind(esbOutcome('ESB000041')),
  254733000040: { ...pays, steps: [failed('024'), step('TS', '001', [], 2)] },
  // The customer never answers this prompt.
  254733000041: { ...pays, answer: 'lost', steps: [] },
  254733000042: {
    ...pays,
    begins: { status: 'TA', code: '000' },
    steps: [step('TS', '001', [], 2)],
  },
};

/** @param msisdn nine digits, without the country's code */
export function collectionScenarioOf(msisdn: string): CollectionScenario {
  return collectionScenarios[`254${msisdn}`] ?? pays;
}
