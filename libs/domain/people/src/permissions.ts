/** The roles of the platform's own people. */
export const operatorRoles = ['viewer', 'support', 'finance', 'admin', 'auditor'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** The roles of a merchant's own people. */
export const merchantRoles = ['developer', 'finance', 'owner'] as const;
export type MerchantRole = (typeof merchantRoles)[number];

/** A granted role. With a merchant, it counts for that merchant only. */
export type HeldRole =
  | { readonly role: OperatorRole; readonly merchantId?: undefined }
  | { readonly role: MerchantRole; readonly merchantId: string };

interface Permission {
  readonly operators: readonly OperatorRole[];
  /** Roles of a merchant's people, for their own merchant only. */
  readonly merchants?: readonly MerchantRole[];
  /** True if the person must prove presence again, for exactly this request. */
  readonly stepUp?: true;
}

const everyOperator = operatorRoles;
const whoSupports = ['support', 'finance', 'admin'] as const;

/** The roles that permit each action. An action that is not listed here is forbidden. */
export const permissions = {
  /** The platform's health, its open work, and every item. Changes nothing. */
  'platform.see': { operators: everyOperator },
  /**
   * Work that keeps the platform running without changing its data's meaning: seals, rewrapping of keys, stuck work.
   */
  'platform.maintain': { operators: ['admin'] },
  'merchants.list': { operators: everyOperator },
  'items.find': { operators: everyOperator },
  'reviews.see': { operators: everyOperator },
  // Its proposal is the first of the two decisions that post the payment (PEO-16).
  'reviews.open': { operators: whoSupports, stepUp: true },
  'reviews.decide': { operators: ['finance', 'admin'], stepUp: true },
  'corrections.see': { operators: everyOperator },
  'corrections.decide': { operators: ['finance', 'admin'], stepUp: true },
  'roles.see': { operators: ['admin', 'auditor'] },
  /** Confirms or declines a change that needs two admins (PEO-30). */
  'proposals.decide': { operators: ['admin'], stepUp: true },
  'roles.decide': { operators: ['admin'], stepUp: true },
  /** Takes up or declines what a merchant's owner asks for (POR-99). */
  'access.decide': { operators: ['admin'], stepUp: true },
  /** Other people's sessions, in browsers and on command lines. */
  'sessions.see': { operators: ['admin'] },
  'sessions.end': { operators: ['admin'], stepUp: true },
  'audit.see': { operators: ['admin', 'auditor'] },
  'evidence.open': { operators: ['auditor'], stepUp: true },

  /** From here on: actions on one merchant, in one mode. */
  'merchant.see': { operators: everyOperator, merchants: merchantRoles },
  'transactions.see': { operators: everyOperator, merchants: merchantRoles },
  'transactions.export': {
    operators: ['finance', 'admin', 'auditor'],
    merchants: ['finance', 'owner'],
  },
  'day.see': { operators: everyOperator, merchants: ['finance', 'owner'] },
  'day.close': { operators: ['finance', 'admin'], merchants: ['finance', 'owner'] },
  'payouts.request': { operators: [], merchants: ['finance', 'owner'] },
  // The requester never approves, whatever their roles: the payout itself compares holders (PAY-7, PAY-35).
  'payouts.approve': {
    operators: ['finance', 'admin'],
    merchants: ['finance', 'owner'],
    stepUp: true,
  },
  // Stopping money needs no second proof: at worst it must be requested again.
  'payouts.cancel': { operators: ['finance', 'admin'], merchants: ['finance', 'owner'] },
  'payouts.pause': { operators: ['finance', 'admin'] },
  'payouts.resume': { operators: ['admin'], stepUp: true },
  'keys.see': { operators: everyOperator, merchants: ['developer', 'owner'] },
  'keys.change': { operators: ['admin'], merchants: ['owner'], stepUp: true },
  /** The people who have a role at the merchant. */
  'team.see': { operators: ['admin', 'auditor'], merchants: ['owner'] },
  /**
   * Asks for a live key, a wider IP list or a colleague's role. It is a request and no one's decision: two admins decide
   * (POR-97).
   */
  'access.ask': { operators: [], merchants: ['owner'], stepUp: true },
  // A withdrawn request changes nothing, so it needs no second proof.
  'access.withdraw': { operators: [], merchants: ['owner'] },
  'webhooks.see': { operators: everyOperator, merchants: ['developer', 'owner'] },
  'webhooks.resend': { operators: whoSupports, merchants: ['developer', 'owner'] },
  'webhooks.change': { operators: ['admin'], merchants: ['developer', 'owner'], stepUp: true },
  'requests.see': { operators: everyOperator, merchants: ['developer', 'owner'] },
  'terms.change': { operators: ['admin'], stepUp: true },
} as const satisfies Readonly<Record<string, Permission>>;

export type Action = keyof typeof permissions;

/**
 * True if these roles permit the action.
 * @param merchantId the merchant of the affected thing; undefined if it is the platform's
 */
export function permits(roles: readonly HeldRole[], action: Action, merchantId?: string): boolean {
  const { operators, merchants = [] }: Permission = permissions[action];
  return roles.some((held) =>
    held.merchantId === undefined
      ? operators.includes(held.role)
      : held.merchantId === merchantId && merchants.includes(held.role),
  );
}

/** True if the person must prove presence again for the action. */
export function needsStepUp(action: Action): boolean {
  const { stepUp }: Permission = permissions[action];
  return stepUp === true;
}
