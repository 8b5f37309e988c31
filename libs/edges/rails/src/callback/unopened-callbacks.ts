import { type Opening, type UnopenedCallback } from '#adapters/records';

/** Callbacks whose token is under a master key that the process which took them does not know. */
export abstract class UnopenedCallbacks {
  /**
   * Durable where it resolves to true; false where the sender's kind has used up its rate or its rows.
   * @throws DependencyUnavailable
   */
  abstract keep(callback: UnopenedCallback): Promise<boolean>;

  /**
   * Moves some that these keys open into the inbox.
   * @returns how many were looked at
   * @throws DependencyUnavailable
   */
  abstract move(
    keys: {
      readonly ofTokens: readonly string[];
      readonly ofCiphertexts: readonly string[];
      readonly max: number;
    },
    open: (callback: UnopenedCallback) => Promise<Opening>,
  ): Promise<number>;
}
