/** Of the platform's own people. */
export const operatorRoles = ['viewer', 'support', 'finance', 'admin', 'auditor'] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** Of a merchant's own people. */
export const merchantRoles = ['developer', 'finance', 'owner'] as const;
export type MerchantRole = (typeof merchantRoles)[number];

/** A role that was granted; with a merchant it holds for that merchant alone. */
export type HeldRole =
  | { readonly role: OperatorRole; readonly merchantId?: undefined }
  | { readonly role: MerchantRole; readonly merchantId: string };

interface Permission {
  readonly operators: readonly OperatorRole[];
  /** Only for what is their own merchant's. */
  readonly merchants?: readonly MerchantRole[];
  /** The person proves presence again, for exactly what is sent. */
  readonly stepUp?: true;
}

const everyOperator = operatorRoles;
const whoSupports = ['support', 'finance', 'admin'] as const;

/** Role by action. Closed by default: what is not named here, nobody may. */
export const permissions = {
  /** The platform's health, what waits, every item: nothing is changed. */
  'platform.see': { operators: everyOperator },
  /** What keeps it running and changes nothing that it says: seals, keys' rewrapping, what stands still. */
  'platform.maintain': { operators: ['admin'] },
  'merchants.list': { operators: everyOperator },
  'items.find': { operators: everyOperator },
  'reviews.see': { operators: everyOperator },
  'reviews.open': { operators: whoSupports },
  'reviews.decide': { operators: ['finance', 'admin'], stepUp: true },
  'corrections.see': { operators: everyOperator },
  'corrections.decide': { operators: ['finance', 'admin'], stepUp: true },
  'roles.see': { operators: ['admin', 'auditor'] },
  /** Confirms or declines a change that takes two admins (PEO-30). */
  'proposals.decide': { operators: ['admin'], stepUp: true },
  'roles.decide': { operators: ['admin'], stepUp: true },
  /** The sessions of other people, in browsers and on command lines. */
  'sessions.see': { operators: ['admin'] },
  'sessions.end': { operators: ['admin'], stepUp: true },
  'audit.see': { operators: ['admin', 'auditor'] },
  'evidence.open': { operators: ['auditor'], stepUp: true },

  /** One merchant's, in one mode. */
  'merchant.see': { operators: everyOperator, merchants: merchantRoles },
  'transactions.see': { operators: everyOperator, merchants: merchantRoles },
  'transactions.export': {
    operators: ['finance', 'admin', 'auditor'],
    merchants: ['finance', 'owner'],
  },
  'day.see': { operators: everyOperator, merchants: ['finance', 'owner'] },
  'day.close': { operators: ['finance', 'admin'], merchants: ['finance', 'owner'] },
  'payouts.request': { operators: [], merchants: ['finance', 'owner'] },
  // Whoever asked never approves, whatever their roles: the payout itself compares holders (PAY-7, PAY-35).
  'payouts.approve': {
    operators: ['finance', 'admin'],
    merchants: ['finance', 'owner'],
    stepUp: true,
  },
  // Who stops money needs no second proof: at worst somebody asks for it again.
  'payouts.cancel': { operators: ['finance', 'admin'], merchants: ['finance', 'owner'] },
  'payouts.pause': { operators: ['finance', 'admin'] },
  'payouts.resume': { operators: ['admin'], stepUp: true },
  'keys.see': { operators: everyOperator, merchants: ['developer', 'owner'] },
  'keys.change': { operators: ['admin'], merchants: ['owner'], stepUp: true },
  'webhooks.see': { operators: everyOperator, merchants: ['developer', 'owner'] },
  'webhooks.resend': { operators: whoSupports, merchants: ['developer', 'owner'] },
  'webhooks.change': { operators: ['admin'], merchants: ['developer', 'owner'], stepUp: true },
  'requests.see': { operators: everyOperator, merchants: ['developer', 'owner'] },
  'terms.change': { operators: ['admin'], stepUp: true },
} as const satisfies Readonly<Record<string, Permission>>;

export type Action = keyof typeof permissions;

/**
 * Whether these roles allow the action.
 * @param merchantId whose what is acted on is; undefined where it is the platform's
 */
export function permits(roles: readonly HeldRole[], action: Action, merchantId?: string): boolean {
  const { operators, merchants = [] }: Permission = permissions[action];
  return roles.some((held) =>
    held.merchantId === undefined
      ? operators.includes(held.role)
      : held.merchantId === merchantId && merchants.includes(held.role),
  );
}

/** Whether the person must prove presence again for it. */
export function needsStepUp(action: Action): boolean {
  const { stepUp }: Permission = permissions[action];
  return stepUp === true;
}
