import { sealRailMessage } from '#shared/signing';
import { Injectable } from '@nestjs/common';
import { CallbackKeys } from '../callback/callback-keys.js';
import { Inbox } from '../inbox/inbox.js';
import { type Asked } from '../rail-adapter.js';
import { type DuePayoutQuery } from './payout-queries.js';
import { PayoutRails } from './payout-rails.js';
import { type RailAccount } from './rail-floats.js';

/** Asks the rails about payouts. The answer of a rail that answers at once goes the same way as one by callback. */
@Injectable()
export class PayoutQuestions {
  constructor(
    private readonly rails: PayoutRails,
    private readonly inbox: Inbox,
    private readonly keys: CallbackKeys,
  ) {}

  /** The rails' modes about whose payouts this process has the settings to ask. */
  get accounts(): readonly RailAccount[] {
    return this.rails.accounts;
  }

  /**
   * @param attempt the question's number, which its answer brings back
   * @throws DependencyUnavailable if an answer could not be stored; the schedule asks again
   */
  async ask(query: DuePayoutQuery, attempt: number): Promise<Asked> {
    const asked = await this.rails.askAboutAgain(query, attempt);
    if (typeof asked === 'string') return asked;
    const { keyring, ids } = this.keys;
    const { channel, stream } = query;
    const { purpose, raw } = asked;
    const sealed = sealRailMessage(keyring, ids.next(), Buffer.from(raw));
    // Only the rail can have answered our own question.
    const from = { sourceAddress: 'unknown', trusted: true };
    await this.inbox.add({ ...sealed, channel, stream, purpose, ...from });
    return 'taken';
  }
}
