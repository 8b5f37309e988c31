import { type MissingToMove } from './readiness.js';

/** What each means to a person, and what to do. */
export const missingToMoveWords: Readonly<Record<MissingToMove, string>> = {
  v4_credential_not_issued: 'has no V4 credential: issue one (credential issue --kind v4)',
  v4_not_in_use: 'has a V4 credential and made no collection with it in 30 days',
  checkout_key_not_issued:
    'sends customers by SHA-1 links and has no checkout key: issue one (credential issue --kind checkout)',
  sha1_links_still_used: 'still sends customers by SHA-1 links: sign them by HMAC-SHA256',
  v3_still_called: 'still calls V3',
};
