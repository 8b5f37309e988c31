import { describe, expect, it } from '@jest/globals';
import { mergeExpositions } from './exposition.js';

describe('metrics of all processes as one exposition', () => {
  it('label every sample with its process and keep the labels that it had', () => {
    const text = 'requests_total{route="/a",status="200"} 3\nup 1\nempty{} 2 1700000000\n';
    expect(mergeExpositions([{ process: 'api', text }])).toBe(
      'requests_total{process="api",route="/a",status="200"} 3\n' +
        'up{process="api"} 1\n' +
        'empty{process="api"} 2 1700000000\n',
    );
  });

  it('keep the samples of a metric together under one HELP and TYPE', () => {
    const text = (value: number) =>
      [
        '# HELP seconds how long',
        '# TYPE seconds histogram',
        `seconds_bucket{le="+Inf"} ${value}`,
        `seconds_sum ${value}`,
        '# HELP other x',
        '# TYPE other gauge',
        `other ${value}`,
      ].join('\n');
    const lines = mergeExpositions([
      { process: 'api', text: text(1) },
      { process: 'worker', text: text(2) },
    ]).split('\n');
    expect(lines).toEqual([
      '# HELP seconds how long',
      '# TYPE seconds histogram',
      'seconds_bucket{process="api",le="+Inf"} 1',
      'seconds_sum{process="api"} 1',
      'seconds_bucket{process="worker",le="+Inf"} 2',
      'seconds_sum{process="worker"} 2',
      '# HELP other x',
      '# TYPE other gauge',
      'other{process="api"} 1',
      'other{process="worker"} 2',
      '',
    ]);
  });

  it('read a label value that holds braces and spaces', () => {
    const text = 'routes{route="/a/{id} b"} 7';
    expect(mergeExpositions([{ process: 'api', text }])).toBe(
      'routes{process="api",route="/a/{id} b"} 7\n',
    );
  });
});
