import { type RailAnswers } from '#edges/rails';
import { type MpesaRailSettings } from '#infra/runtime';

/** The demo mode's settings for a Daraja at this URL. */
export function settingsAt(url: string): MpesaRailSettings {
  return {
    url,
    shortcode: '174379',
    passkey: 'passkey',
    consumerKey: 'key',
    consumerSecret: 'secret',
    callbackIps: [],
    stepMinor: 100n,
  };
}

/** The additional settings of a Daraja that pays out. */
export const payoutSettings = {
  shortcode: '600000',
  initiator: 'asha',
  securityCredential: 'sealed',
  perSecond: 20,
};

/** Stores nothing of what the rail answers. */
export const noAnswers = {
  soon: () => undefined,
  kept: () => Promise.resolve(undefined),
  settled: () => Promise.resolve(),
} as unknown as RailAnswers;
