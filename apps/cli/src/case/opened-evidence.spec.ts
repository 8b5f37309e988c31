import { expect, it } from '@jest/globals';
import { evidenceJson, evidenceLines, openedEvidence } from './opened-evidence.js';

it('evidence of an answer to our own push is labelled as such and has no address', () => {
  const opened = openedEvidence({ v: '1', body: '{"ResponseCode":"0"}' });
  expect(evidenceLines(opened)).toEqual(['rail: its answer to our own request']);
  expect(evidenceJson(opened)).toEqual({ rail: {} });
});

it.each([
  ['196.201.214.200', 'rail: report from 196.201.214.200'],
  ['unknown', 'rail: report from an address that is not known'],
])('evidence of a callback names its source: %s', (sourceAddress, line) => {
  expect(evidenceLines(openedEvidence({ v: '1', sourceAddress }))).toEqual([line]);
});

it('evidence of a query states what was asked and answered', () => {
  const opened = openedEvidence({ asked: 'ws_CO_1', answer: 'paid' });
  expect(evidenceLines(opened)).toEqual(['rail: asked about ws_CO_1, answered paid']);
});
