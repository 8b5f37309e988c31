import { type EndpointUrlWrong, type EndWrong } from '#desk/operators';
import { modesWithMoney, roles, wordsIn } from '#shared/glossary';
import { type MerchantRole } from '#domain/people';
import { type AccessRequestKind, type AccessRequestStatus } from '#records/people';
import { type AddressWrong } from './failure-address.js';

type Words<Name extends string> = Readonly<Record<Name, string>>;

/** The English texts of the forms with which a merchant's people change endpoints and credentials. */
export const english = {
  merchant: 'Merchant',
  mode: 'Mode',
  modes: modesWithMoney('en'),
  before: 'Now',
  after: 'New',
  reason: 'Reason',
  reasonHint: 'Stored in the activity log. Do not name a customer.',
  reasonProblems: {
    words_length: 'Enter 1 to 500 characters.',
    words_unseen: 'Remove characters that are not visible.',
    words_hold_phone: 'Remove the phone number. This text is stored permanently.',
  },
  changed: 'Somebody else changed this meanwhile. Nothing was done. Check it and try again.',
  secretTitle: 'Save this secret now',
  secretOnce:
    'This is the only time the secret is shown. Store it where your systems read secrets.',
  team: {
    title: 'Team',
    caption: 'People with access',
    name: 'Name',
    role: 'Role',
    since: 'Since',
    roles: wordsIn(roles, 'en') satisfies Words<MerchantRole>,
    empty: 'No people with access yet',
    change: 'Change',
    ask: 'Ask for a role for a colleague',
    decided:
      'Admins of PesaPost decide about each role. A role that moves money takes two of them.',
    person: 'Id of the person',
    personHint:
      'Your colleague signs in to this portal once, and the page shows the id. Copy all of it, with the # in it.',
    wrongPerson: 'Copy the whole id from the page that your colleague sees after signing in.',
    hasRole: 'This person already has this role.',
    wrongRole: 'Choose developer, finance or owner.',
    remove: 'Ask to remove',
    send: 'Send request',
  },
  /** Requests for access that PesaPost's admins decide. */
  access: {
    title: 'Your requests',
    asked: 'Request',
    by: 'Asked by',
    since: 'Sent',
    state: 'State',
    kinds: {
      credential: 'Ask for a live API key',
      ip_list: 'Ask for a wider list of IPs',
      role: 'Ask for a role for a colleague',
      role_removal: 'Ask to remove a role',
    } satisfies Words<AccessRequestKind>,
    states: {
      sent: 'Sent',
      taken: 'Taken up, waits for a second admin',
      done: 'Done',
      declined: 'Declined',
      withdrawn: 'Withdrawn',
      expired: 'Expired',
    } satisfies Words<AccessRequestStatus>,
    withdraw: 'Withdraw',
    next: 'Next step',
    decided: 'Admins of PesaPost decide. Nothing changes before they do.',
    refusals: {
      too_many: 'Your business has 20 open requests. Withdraw one or wait for a decision.',
      already_asked:
        'The same is already requested. Wait for the decision or withdraw that request.',
    },
    done: {
      request_sent: 'Your request is sent. Admins of PesaPost decide within 30 days.',
      request_withdrawn: 'The request is withdrawn.',
    },
  },
  keys: {
    add: 'Add API key',
    manage: 'Manage',
    title: (name: string) => `API key ${name}`,
    makeKey: 'Make a key pair on your own machine. Paste only the public half:',
    publicKey: 'Public key (PEM)',
    publicKeyHint:
      'RSA of 2048 bits or more, beginning with -----BEGIN PUBLIC KEY-----. Never paste a private key.',
    keyProblems: {
      not_an_rsa_public_key:
        'This is not an RSA public key in PEM form. If it is a private key, make a new pair.',
      rsa_key_too_small: 'The key has fewer than 2048 bits.',
      rsa_key_too_large: 'The key has more than 8192 bits.',
    },
    holderHint: 'The person or system that uses the key. Keep the name when you replace a key.',
    holderProblems: {
      holder_form: 'Enter 1 to 500 characters, and not the id of a person.',
      words_hold_phone: 'Remove the phone number. The name is stored permanently.',
    },
    ipsHint: 'Addresses and CIDR ranges, such as 203.0.113.7, 2001:db8::/48.',
    ipsProblems: {
      not_ips: 'Enter 1 to 100 IPv4 or IPv6 addresses or CIDR ranges, separated by commas.',
    },
    endHint:
      'Optional. A day, such as 2027-03-01, or a number of days, such as 90d. The key stops working when that day begins in UTC.',
    endProblems: {
      end_form: 'Enter a day, such as 2027-03-01, or a number of days, such as 90d.',
      end_past: 'Enter a day in the future.',
      end_too_far: 'Enter a day within the next ten years.',
    } satisfies Words<EndWrong>,
    everybody: 'This list contains every address. Name your own addresses.',
    ipsDemo: 'The list takes effect within a second.',
    ipsLive:
      'A narrower list takes effect within a second. New addresses become a request: two admins of PesaPost decide.',
    saveIps: 'Save allowed IPs',
    revoke: 'Revoke this key',
    revokeHow: 'The key stops working everywhere within a second. This cannot be undone.',
    revokeDo: 'Revoke key',
    compromised:
      'Another person may have used it. Payouts that it requested or approved are not sent.',
    clientSecret: 'Client secret',
    back: 'Back to API keys',
    liveNeedsTwo:
      'A live API key can send real money. This form sends a request: two admins of PesaPost decide.',
    adminProposes: 'In live mode this makes a proposal. Another admin confirms it.',
    refusals: {
      key_taken: 'Another credential has this key. Make a new key pair.',
      similar_holder:
        'A holder with nearly the same name exists. Write the name as it is in your list of keys.',
      unknown_merchant: 'This merchant does not exist.',
      unknown_credential: 'This key is not in use any more.',
      not_admin: 'In live mode, two admins of PesaPost decide this.',
      no_admins: 'In live mode, two admins of PesaPost decide this, and there are none yet.',
      changed: 'Somebody else changed this meanwhile. Nothing was done. Check it and try again.',
    },
    done: {
      ips_set: 'The allowed IPs are saved.',
      key_revoked: 'The key is revoked.',
      key_proposed: 'Proposed. Another admin confirms it within 24 hours.',
    },
  },
  failed: {
    open: 'Resend failed…',
    title: 'Resend failed webhooks',
    other: 'Since another time',
    day: 'Since day',
    clock: 'Time',
    clockHint: 'As 14:30',
    count: 'Count',
    wrongTime: 'Enter a day and a time in the past, such as 14:30.',
    none: 'No failed webhooks found',
    noneTodo: 'Webhooks that are due now are already being sent.',
    since: 'Since',
    found: (count: number, isMore: boolean) =>
      isMore
        ? `${count} or more webhooks failed`
        : `${count} ${count === 1 ? 'webhook' : 'webhooks'} failed`,
    bounded: (max: number) => `At most ${max} are sent at a time, the oldest first.`,
    resend: (count: number) => (count === 1 ? 'Resend 1 webhook' : `Resend ${count} webhooks`),
    outcomes: 'Result of each webhook',
    sending: 'Being sent',
    problems: {
      no_endpoint: 'No endpoint',
      disabled: 'Endpoint disabled',
      no_words: 'Not in V3',
      gone: 'Not available now',
    },
    more: (count: number) => `${count} more failed. Send this form again to resend them.`,
  },
  endpoint: {
    add: 'Add endpoint',
    manage: 'Manage',
    title: (kind: string) => `Webhook endpoint ${kind}`,
    setUrl: 'URL',
    save: 'Save endpoint',
    urlLabel: 'Endpoint URL',
    urlHint: 'For example https://shop.example/webhooks. Events are sent with POST.',
    urlProblems: {
      no_url: 'Enter a full URL, such as https://shop.example/webhooks.',
      not_https: 'The URL must begin with https://.',
      has_credentials: 'Remove the name and password. Check the signature instead.',
      has_fragment: 'Remove the part after #.',
      too_long: 'The URL must have at most 2048 characters.',
      has_phone: 'Remove the phone number. The URL is stored permanently.',
      not_public: 'This host is not on the public internet.',
    } satisfies Words<EndpointUrlWrong>,
    standard: 'Also send the standard-webhooks headers',
    failuresTo: 'Send failures to',
    failuresHint:
      'Optional. One e-mail address. It gets one mail when the endpoint fails, and one when it no longer does.',
    noMail:
      'Optional. One e-mail address. No mail is sent yet, because PesaPost has no mail server here.',
    addressProblems: {
      no_address: 'Enter one e-mail address, such as dev@shop.example.',
      address_too_long: 'The address must have at most 254 characters.',
    } satisfies Words<AddressWrong>,
    enables: 'The endpoint is disabled. Saving a URL enables it.',
    test: 'Test event',
    testHow:
      'Sends one signed sample. Its sequence is 0, and its reference begins with SAMPLE-. Answer 204 and do nothing.',
    testSend: 'Send test event',
    testDelivered: (result: string, ms: number) => `Test event delivered: ${result}, ${ms} ms.`,
    testFailed: (result: string, ms: number) => `Test event not delivered: ${result}, ${ms} ms.`,
    testProblems: {
      busy: 'Another test event is being sent. Wait for its result.',
      no_words: 'V3 webhooks have no such event.',
      no_endpoint: 'This endpoint does not exist any more.',
    },
    notSent: 'not sent',
    rotate: 'Rotate the secret',
    rotateHow:
      'A new secret signs at once. For 24 hours each webhook has both signatures, so switch your receiver within that time.',
    rotateDo: 'Rotate secret',
    disable: 'Disable the endpoint',
    disableHow:
      'Nothing is sent until you enable it again. New events are then only in GET /api/v4/events.',
    disableDo: 'Disable endpoint',
    enable: 'Enable the endpoint',
    enableHow: 'Webhooks of the last 30 days that wait for it are sent.',
    enableDo: 'Enable endpoint',
    secret: 'Webhook secret',
    standardSecret: 'The same secret for standard-webhooks libraries',
    back: 'Back to webhooks',
    done: {
      endpoint_set: 'The endpoint is saved.',
      endpoint_disabled: 'The endpoint is disabled.',
      endpoint_enabled: 'The endpoint is enabled.',
      secret_kept: 'Somebody else rotated the secret at the same moment. Their secret signs.',
    },
  },
};
