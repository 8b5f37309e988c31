import { type LinkFaultCode } from '../link/link-fault.js';

/** The reasons for an error page. */
export type FaultCode =
  LinkFaultCode | 'too_many_requests' | 'service_unavailable' | 'internal_error';

/** A problem, and what to do about it. */
export interface Notice {
  readonly title: string;
  readonly text: string;
}

/**
 * Every text of the page in one language. Names and amounts are filled in, and all of it is escaped when it is shown.
 */
export interface Texts {
  readonly name: string;
  readonly language: string;
  readonly testMode: string;
  readonly pay: (merchant: string) => string;
  readonly order: string;
  readonly phone: string;
  readonly phoneHint: string;
  readonly payButton: (amount: string) => string;
  readonly sending: string;
  readonly pinNote: string;
  readonly problem: string;
  readonly problemPrefix: string;
  readonly invalidPhone: string;
  readonly staleForm: string;
  readonly waiting: {
    readonly title: string;
    readonly sent: (amount: string, phone: string) => string;
    readonly pin: string;
    readonly unsure: (amount: string, phone: string) => string;
    readonly unsurePin: string;
    readonly unsureElse: (merchant: string, order: string) => string;
    readonly unsureLong: string;
    readonly unsureLongAsk: (merchant: string, order: string) => string;
    readonly updates: string;
    readonly longTitle: string;
    readonly long: (merchant: string) => string;
    readonly checkNow: string;
  };
  readonly paid: {
    readonly title: string;
    readonly text: (merchant: string, amount: string) => string;
    readonly receipt: string;
    readonly on: string;
    readonly leads: (merchant: string, seconds: number) => string;
    readonly done: string;
  };
  readonly failures: Readonly<Record<string, Notice>>;
  readonly otherFailure: Notice;
  readonly tryAgain: string;
  readonly startAgain: (merchant: string) => string;
  readonly checked: Notice;
  readonly refunded: Notice;
  readonly returnTo: (merchant: string) => string;
  readonly nothingCharged: string;
  readonly noLink: Notice;
  readonly faults: Readonly<Record<FaultCode, Notice>>;
  readonly forTheShop: string;
  readonly reference: string;
}
