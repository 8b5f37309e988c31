import { type HeldRole, type StopRefusal } from '#domain/people';
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
  switchTo: (end: string) => `Switch to …${end}`,
  apiReference: 'API reference',
  groups: { developers: 'Developers', audit: 'Audit' },
  search: {
    ofMerchant: 'Find a payment by reference or receipt',
    ofPlatform: 'Find a payment, merchant or account',
    button: 'Search',
  },
  roles: {
    viewer: 'Viewer',
    support: 'Support',
    finance: 'Finance',
    admin: 'Admin',
    auditor: 'Auditor',
    developer: 'Developer',
    owner: 'Owner',
  } satisfies Record<HeldRole['role'], string>,
  theme: {
    title: 'Colours',
    system: 'As the system',
    light: 'Light',
    dark: 'Dark',
  } satisfies Record<Theme | 'title', string>,
  mode: 'Mode',
  language: 'Language',
  signIn: 'Sign in',
  signOut: 'Sign out',
  signedInAs: 'Signed in as',
  modes: {
    demo: { title: 'Demo', text: 'no real money' },
    live: { title: 'Live', text: 'real money' },
  },
  faults: {
    sign_in_required: {
      title: 'Sign in first',
      text: 'Your session ended before the form arrived. Nothing was done. Sign in, and send the form again.',
    },
    forbidden: {
      title: 'Your roles do not allow this',
      text: 'Nothing was done. If your work needs it, ask an admin for the role.',
    },
    no_role: {
      title: 'You have no role here yet',
      text: 'You are signed in, but no admin has granted you a role. Ask an admin, and name your id below.',
    },
    suspended: {
      title: 'You are suspended',
      text: 'Another admin suspended you, and none of your roles counts. Two other admins lift that. You can still stop the announcement of a new admin, if one waits.',
    },
    other_site: {
      title: 'The form came from another site',
      text: 'Nothing was done. If you did not send a form just now, another page tried it in your name: tell your security team. Else open the page here and try again.',
    },
    other_person: {
      title: 'Another person signed in',
      text: 'Nothing was done. The identity provider named somebody else than the person of this session.',
    },
    stale_form: {
      title: 'This form is of another session',
      text: 'Nothing was done. You have signed in anew since the page was opened. Load the page again and fill in the form once more.',
    },
    stale_confirmation: {
      title: 'This confirmation has ended',
      text: 'Nothing was done now. A confirmation works once, for five minutes, for exactly what it showed. Look whether it was carried out already; if not, begin again.',
    },
    selection: {
      title: 'Choose one to fifty',
      text: 'Nothing was done. Go back, and choose what you want to decide together: at least one, at most fifty.',
    },
    changed: {
      title: 'It has changed meanwhile',
      text: 'Nothing was done. What you decided about is no longer as your page showed it. Go back, load the page again and look at it anew.',
    },
    new_admin_announced: {
      title: 'A new admin is announced',
      text: 'Nothing was done. This admin may still stop the announcement. Until it is over, only they can end their sessions.',
    },
    sign_in_failed: {
      title: 'Signing in did not work',
      text: 'The answer of the identity provider could not be trusted, came too late, or belongs to another window. Try again.',
    },
    weak_proof: {
      title: 'That proof is not enough',
      text: 'Nothing was done. This takes a stronger proof that it is you, as a passkey: use yours, or add one at the identity provider and begin again.',
    },
    too_many_requests: {
      title: 'Too many requests',
      text: 'Wait a moment, then try again.',
    },
    not_found: {
      title: 'There is no such page',
      text: 'It may have been mistyped, or it is not yours to see.',
    },
    invalid_request: {
      title: 'The request could not be read',
      text: 'Nothing was done. Go back, load the page again and try once more.',
    },
    method_not_allowed: {
      title: 'This address takes no such request',
      text: 'Nothing was done. Open the page and use its form.',
    },
    payload_too_large: {
      title: 'That is too large',
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
      text: 'A server that it needs does not answer. Try again in a moment. If you sent a form, look first whether it was done.',
    },
    internal_error: {
      title: 'Something went wrong here',
      text: 'It is our mistake, and it is in our log. If you sent a form, look first whether it was done.',
    },
  } satisfies Record<FaultCode, Notice>,
  errorPrefix: 'Error: ',
  requestId: 'Request id',
  yourId: 'Your id',
  firstPage: 'To the first page',
  problem: 'There is a problem',
  optional: 'optional',
  next: 'Next page',
  chartTable: 'The figures as a table',
  notSetUp: {
    title: 'The portal is not set up',
    text: 'It needs an identity provider (OpenID Connect). Set OIDC_ISSUER, OIDC_CLIENT_ID and, for a confidential client, OIDC_CLIENT_SECRET; set PORTAL_URL to the address under which people open the portal; register the redirect address below at the provider; then start the service again.',
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
    text: 'You are signed in here, at ten places at most. End a session that you do not know, and tell your security team. Signing out ends all of them.',
    whose: 'Person',
    none: 'The person is signed in nowhere.',
    kind: 'Where',
    kinds: { browser: 'A browser', command_line: 'The command line' } satisfies Record<
      SessionKind,
      string
    >,
    openedAt: 'Signed in',
    lastUsedAt: 'Last used',
    endsAt: 'Ends without use',
    whatEnds: 'End it',
    thisOne: 'This browser',
    endButton: 'End this session',
    endAllButton: 'Sign out everywhere',
    ended: 'The session has ended.',
  },
  breakGlass: {
    title: 'A new admin is announced',
    banner: (name: string, at: Html): Html =>
      html`<b>${name}</b> becomes an admin at ${at}, unless an admin stops it.`,
    look: 'Look at the announcement',
    none: 'No new admin is announced.',
    text: 'Fewer than two admins can act, so somebody with the machine announced a new one. Any admin may stop it, a suspended one too. If you do not know why this happens, stop it and call your security team.',
    name: 'Name',
    person: 'Id',
    by: 'Announced by',
    reason: 'Reason',
    announcedAt: 'Announced',
    takesEffectAt: 'Takes effect',
    stopReason: 'Why you stop it',
    stopButton: 'Stop it',
    stopped: 'The announcement is stopped.',
    refusals: {
      not_admin: 'Only an admin stops it. Call one.',
      none_announced: 'No announcement waits any more.',
      reason: 'Give a reason, of at most 500 characters.',
    } satisfies Record<StopRefusal | 'reason', string>,
  },
  stepUp: {
    ask: 'Confirm what you are about to do',
    why: 'This needs a fresh proof that it is you. The identity provider asks you, and leads you back here. Nothing is done before.',
    proveButton: 'Confirm that it is me',
    proved:
      'The identity provider has confirmed that it is you. Carry it out within five minutes; it works once.',
    notAnew:
      'The identity provider answered, but did not ask you anew, so nothing was confirmed. Confirm once more. If it does not ask you this time either, tell your security team.',
    carryOutButton: 'Carry it out now',
    cancel: 'Do nothing',
  },
  stepUpActions: {
    'reviews.open': 'Open a review',
    'reviews.decide': 'Decide a review',
    'corrections.decide': 'Decide a correction',
    'proposals.decide': 'Decide a change that takes two admins',
    'roles.decide': 'Decide about a role',
    'payouts.approve': 'Decide a payout',
    'payouts.resume': 'Resume payouts',
    'keys.change': 'Change keys or credentials',
    'webhooks.change': 'Change a webhook endpoint',
    'evidence.open': 'Open sealed evidence',
    'sessions.end': 'End the sessions of a person',
    'terms.change': 'Change a merchant’s terms',
  } satisfies Record<StepUpAction, string>,
};
