import { expect, it } from '@jest/globals';
import { failureStep, failureText } from './failures.js';

it('a failure is said in words, with its code beside them', () => {
  expect(failureText('no_answer', 'en').text).toBe(
    'The phone did not answer <small><code>no_answer</code></small>',
  );
  expect(failureText('no_answer', 'sw').text).toMatch(/^Simu .*<code>no_answer<\/code>/);
  expect(failureStep('no_answer', 'en')?.text).toContain('switch the phone on');
});

it('a code of a later release is shown as it is, as are names that every object has', () => {
  expect(failureText('constructor', 'en').text).toBe('<code>constructor</code>');
  expect(failureStep('constructor', 'en')).toBeUndefined();
});
