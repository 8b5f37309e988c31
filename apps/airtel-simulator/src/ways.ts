/**
 * Points on which public sources disagree or say nothing, each with the ways that an adapter must bear. The first of
 * each list is the simulator's default.
 */
export const ways = {
  /** The bytes that a callback's hash covers: its transaction object, or its body without the hash. */
  callback_hash: ['transaction', 'body', 'none'],
  /** The number of tries of a callback that is not answered with 200, a SIMULATOR_DELAY apart. */
  callback_tries: ['1', '3'],
  /** `v2`: only the v2 paths of payments and refunds need a signature. `always`: their v1 paths need one, too. */
  signing: ['v2', 'always'],
  /** `refused`: a signed payout is answered with ROUTER116. */
  signed_payouts: ['accepted', 'refused'],
  /** The length of the key that `/v1/rsa/encryption-keys` returns. */
  key_bits: ['1024', '2048'],
  /** `oaep`: SHA-256 for both of its hashes. `oaep_sha1`: its mask by SHA-1, Java's default. */
  pin_padding: ['any', 'pkcs1', 'oaep', 'oaep_sha1'],
  /** `flat`: HTTP 400 with `status_code` and `status_message` alone. */
  router_errors: ['envelope', 'flat'],
  /** The HTTP status of a wrong client secret, and of a token that is wrong or has ended. */
  bad_secret: ['200', '401'],
  bad_token: ['401', '403'],
  /** The code of a payment that an enquiry reports as TS. */
  success_code: ['001', '006'],
  /** The `airtel_money_id` of a transaction that failed. */
  failed_money_id: ['absent', 'empty', 'present'],
  /** `strict`: a reference is 4 to 64 letters and digits, as an id is. */
  reference: ['any', 'strict'],
  /** The status of a payment that was refunded. */
  refunded_status: ['TS', 'TR'],
  /** The form of `created_at` in the list of transactions. */
  created_at: ['epoch', 'iso'],
  /** `all`: the list has payments that failed, too. */
  list: ['settled', 'all'],
} as const;

export type Ways = { readonly [W in keyof typeof ways]: (typeof ways)[W][number] };

/** The settings that were made in the portal. */
export type PortalSettings = Partial<Ways> & { readonly callback_url?: string };
