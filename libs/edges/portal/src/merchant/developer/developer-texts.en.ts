import { type EndpointUrlWrong } from '#desk/operators';

type Words<Name extends string> = Readonly<Record<Name, string>>;

/** The English texts of the forms with which a merchant's people change endpoints and credentials. */
export const english = {
  merchant: 'Merchant',
  mode: 'Mode',
  modes: { live: 'live: real money', demo: 'demo: no real money' },
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
  endpoint: {
    add: 'Add endpoint',
    manage: 'Manage endpoint',
    title: (kind: string) => `Webhook endpoint ${kind}`,
    setUrl: 'URL',
    save: 'Save URL',
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
