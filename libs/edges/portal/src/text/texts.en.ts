import { type StopRefusal } from '#domain/people';
import { modeNotes, modes, roles, wordsIn } from '#shared/glossary';
import { html, type Html } from '#shared/html';
import { type SessionKind } from '#records/people';
import { type Theme } from './theme.js';
import { type FaultCode, type Notice, type StepUpAction } from './codes.js';

export const english = {
  name: 'English',
  portal: 'PesaPost portal',
  brand: 'PesaPost',
  skip: 'Skip to the content',
  navigation: 'Pages',
  merchantNavigation: 'Pages of the merchant',
  menu: 'Menu',
  close: 'Close',
  account: 'Account',
  allMerchants: 'All merchants',
  switchTo: 'Switch merchant',
  counted: (count: number) => (count === 1 ? '1 needs you' : `${count} need you`),
  countedMore: (most: number) => `more than ${most} need you`,
  apiReference: 'API reference',
  groups: { developers: 'Developers', audit: 'Audit' },
  search: {
    ofMerchant: 'Find by reference, receipt or phone',
    ofPlatform: 'Find a payment, merchant or account',
    button: 'Search',
  },
  roles: wordsIn(roles, 'en'),
  theme: {
    title: 'Theme',
    system: 'Match system',
    light: 'Light',
    dark: 'Dark',
  } satisfies Record<Theme | 'title', string>,
  mode: 'Mode',
  language: 'Language',
  signIn: 'Sign in',
  signOut: 'Sign out',
  signedInAs: 'Signed in as',
  modes: {
    demo: { title: modes.demo.en, text: modeNotes.demo.en },
    live: { title: modes.live.en, text: modeNotes.live.en },
  },
  faults: {
    sign_in_required: {
      title: 'Sign in first',
      text: 'Your session ended before the form arrived. Nothing was done. Sign in and send the form again.',
    },
    forbidden: {
      title: 'Your roles do not allow this',
      text: 'Nothing was done. If your work needs it, ask an admin for the role.',
    },
    no_role: {
      title: 'You have no role here yet',
      text: 'You are signed in, but no admin has given you a role. Ask an admin and send them your ID below.',
    },
    suspended: {
      title: 'You are suspended',
      text: 'Another admin suspended you, so you cannot use your roles. Two other admins can lift the suspension. You can still stop the announcement of a new admin, if there is one.',
    },
    other_site: {
      title: 'The form came from another site',
      text: 'Nothing was done. If you did not send a form just now, another page tried it in your name: tell your security team. If you did, open the page here and try again.',
    },
    other_person: {
      title: 'Another person signed in',
      text: 'Nothing was done. The identity provider signed in a different person from the one in this session.',
    },
    stale_form: {
      title: 'This form is from another session',
      text: 'Nothing was done. You have signed in again since you opened the page. Load the page again and fill in the form once more.',
    },
    stale_confirmation: {
      title: 'This confirmation has expired',
      text: 'Nothing was done now. A confirmation works once, for five minutes, and only for what it showed. Check if it was done already. If not, start again.',
    },
    selection: {
      title: 'Choose one to fifty',
      text: 'Nothing was done. Go back and choose the items to decide together: at least one, at most fifty.',
    },
    changed: {
      title: 'It has changed since',
      text: 'Nothing was done. The item has changed since your page showed it. Go back, load the page again and check it.',
    },
    new_admin_announced: {
      title: 'A new admin is announced',
      text: 'Nothing was done. This admin can still stop the announcement. Until it is over, only they can end their own sessions.',
    },
    sign_in_failed: {
      title: 'Sign-in failed',
      text: 'The identity provider’s answer could not be trusted, came too late, or belongs to another window. Try again.',
    },
    weak_proof: {
      title: 'That proof is not enough',
      text: 'Nothing was done. This needs a stronger proof that it is you, such as a passkey. Use yours, or add one at the identity provider and start again.',
    },
    too_many_requests: {
      title: 'Too many requests',
      text: 'Wait a moment, then try again.',
    },
    not_found: {
      title: 'Page not found',
      text: 'The address may be mistyped, or you may not have access to the page.',
    },
    invalid_request: {
      title: 'The request could not be read',
      text: 'Nothing was done. Go back, load the page again and try once more.',
    },
    method_not_allowed: {
      title: 'This address does not accept that request',
      text: 'Nothing was done. Open the page and use its form.',
    },
    payload_too_large: {
      title: 'Too large',
      text: 'Nothing was done. Send less at once.',
    },
    unsupported_media_type: {
      title: 'This is not a form of the portal',
      text: 'Nothing was done. Open the page and use its form.',
    },
    provider_unavailable: {
      title: 'Sign-in is not possible right now',
      text: 'The identity provider does not answer. People who are signed in stay signed in. Try again in a moment.',
    },
    service_unavailable: {
      title: 'The page cannot be shown right now',
      text: 'A server that it needs does not answer. Try again in a moment. If you sent a form, check first if it was done.',
    },
    internal_error: {
      title: 'Something went wrong',
      text: 'The mistake is ours, and it is in our log. If you sent a form, check first if it was done.',
    },
  } satisfies Record<FaultCode, Notice>,
  errorPrefix: 'Error: ',
  requestId: 'Request ID',
  yourId: 'Your ID',
  technical: 'Technical details',
  firstPage: 'Go to Home',
  problem: 'There is a problem',
  optional: 'optional',
  next: 'Next page',
  chartTable: 'Figures as a table',
  chartSum: 'Sum',
  chartEmpty: 'Nothing in this time',
  notSetUp: {
    title: 'The portal is not set up',
    text: 'It needs an identity provider (OpenID Connect). Set OIDC_ISSUER, OIDC_CLIENT_ID and, for a confidential client, OIDC_CLIENT_SECRET. Set PORTAL_URL to the address at which people open the portal. Register the redirect address below at the provider. Then start the service again.',
  },
  redirectAddress: 'Redirect address',
  signedOut: {
    title: 'You are signed out',
    text: 'Your sessions have ended, in every browser and on every command line.',
    again: 'Sign in again',
    atProvider: 'Sign out at the identity provider, too',
  },
  sessions: {
    title: 'Your sessions',
    text: 'You can be signed in at up to ten places. If you do not know a session, end it and tell your security team. Signing out ends all of them.',
    titleOf: (name: string) => `Sessions of ${name}`,
    titleOther: 'Sessions of a person',
    whose: 'Person',
    none: 'The person is not signed in anywhere.',
    kind: 'Where',
    kinds: { browser: 'Browser', command_line: 'Command line' } satisfies Record<
      SessionKind,
      string
    >,
    openedAt: 'Signed in',
    lastUsedAt: 'Last used',
    endsAt: 'Ends if not used',
    action: 'Action',
    thisOne: 'This browser',
    endButton: 'End this session',
    endAllButton: 'Sign out everywhere',
    ended: 'The session has ended.',
  },
  breakGlass: {
    title: 'New admin announced',
    banner: (name: string, at: Html): Html =>
      html`<b>${name}</b> becomes an admin at ${at}, unless an admin stops it.`,
    look: 'See the announcement',
    none: 'No new admin is announced.',
    text: 'Fewer than two admins can act, so a person with access to the server announced a new one. Any admin can stop it, even a suspended one. If you do not know the reason, stop it and call your security team.',
    name: 'Name',
    person: 'ID',
    by: 'Announced by',
    reason: 'Reason',
    announcedAt: 'Announced',
    takesEffectAt: 'Takes effect',
    stopReason: 'Reason',
    stopButton: 'Stop the announcement',
    stopped: 'The announcement is stopped.',
    refusals: {
      not_admin: 'Only an admin can stop it. Call one.',
      none_announced: 'There is no announcement any more.',
      reason: 'Give a reason of at most 500 characters.',
    } satisfies Record<StopRefusal | 'reason', string>,
  },
  stepUp: {
    check: 'Check this before you confirm it.',
    why: 'The identity provider asks you to prove that it is you, then brings you back here. Nothing happens before that.',
    verify: 'Verify it’s me',
    verifyTo: { approve: 'Verify and approve', reject: 'Verify and reject' },
    proved: 'The identity provider confirmed that it is you. You have five minutes to finish.',
    notAnew:
      'The identity provider answered without asking you again, so nothing is confirmed. Verify once more. If it does not ask you this time either, tell your security team.',
    finish: 'Confirm now',
    finishTo: { approve: 'Approve now', reject: 'Reject now' },
    cancel: 'Cancel',
    asOfForm: 'As of when you sent the form. It changes with each payment.',
    items: (count: number) => (count === 1 ? '1 item' : `${count} items`),
    allFacts: 'All facts of each item',
    to: 'To',
    merchant: 'Merchant',
    batch: {
      titles: { approve: 'Approve this batch', reject: 'Reject this batch' },
      payouts: (count: number) => (count === 1 ? '1 payout' : `${count} payouts`),
    },
  },
  stepUpActions: {
    'reviews.open': 'Open a review',
    'reviews.decide': 'Decide a review',
    'corrections.decide': 'Decide a correction',
    'proposals.decide': 'Decide a change that needs two admins',
    'roles.decide': 'Decide about a role',
    'payouts.approve': 'Decide a payout',
    'payouts.resume': 'Resume payouts',
    'keys.change': 'Change keys or credentials',
    'access.decide': 'Take up or decline a request for access',
    'access.ask': 'Ask for access',
    'webhooks.change': 'Change a webhook endpoint',
    'evidence.open': 'Open sealed evidence',
    'sessions.end': 'End a person’s sessions',
    'terms.change': 'Change a merchant’s terms',
  } satisfies Record<StepUpAction, string>,
};
