import { Injectable, Logger } from '@nestjs/common';
import { type FoundSession, RenewalTokens, Sessions } from '#records/people';
import { withDeadline } from '#infra/runtime';
import { isRenewalRefusal, type RefusedAnswer, refusedAnswer } from '#shared/openid';
import { ProviderConnection } from './provider-connection.js';
import { SignInFailure } from './sign-in-failure.js';

/** The limit for each of the provider's answers. The person waits for a page meanwhile. */
const timeoutSeconds = 2;

const log = new Logger('portal');

/** The provider's answer about a session: silence ends nothing. */
type Stay = { readonly kind: 'refused' | 'silent' } | { readonly kind: 'granted'; next?: string };

/** Asks the provider, at most every five minutes, if a person who is signed in may stay so (POR-122). */
@Injectable()
export class SessionRenewal {
  constructor(
    private readonly connection: ProviderConnection,
    private readonly tokens: RenewalTokens,
    private readonly sessions: Sessions,
  ) {}

  /** Keeps the refresh token of a session that has just begun. */
  keep(sessionHash: Buffer, token: string): Promise<void> {
    return this.tokens.keep(sessionHash, token);
  }

  /**
   * @returns false if the provider refused; the session has ended then
   * @throws DependencyUnavailable
   */
  async mayStay({ hash, person }: FoundSession): Promise<boolean> {
    const token = await this.tokens.take(hash);
    if (token === undefined) return true;
    const stay = await this.ask(token, person.subject);
    if (stay.kind === 'refused') {
      await this.sessions.revoke(hash);
      await this.tokens.drop(hash);
      return false;
    }
    if (stay.kind === 'granted' && stay.next !== undefined) await this.tokens.keep(hash, stay.next);
    return true;
  }

  private async ask(token: string, subject: string): Promise<Stay> {
    try {
      const { client, configuration } = await withDeadline(
        this.connection.open(),
        timeoutSeconds * 1000,
        'the identity provider did not answer in time',
      );
      configuration.timeout = timeoutSeconds;
      const tokens = await client.refreshTokenGrant(configuration, token);
      const { sub = subject } = tokens.claims() ?? {};
      if (sub !== subject) return { kind: 'refused' };
      const { refresh_token: next } = tokens;
      return { kind: 'granted', ...(next !== undefined && { next }) };
    } catch (error) {
      if (error instanceof SignInFailure) return { kind: 'silent' };
      const facts = refusedAnswer(error);
      noteAnswer(facts);
      return { kind: isRenewalRefusal(facts.error) ? 'refused' : 'silent' };
    }
  }
}

function noteAnswer(facts: RefusedAnswer): void {
  const isRefused = isRenewalRefusal(facts.error);
  log.warn({
    msg: isRefused
      ? 'the identity provider ended a session'
      : 'the identity provider did not say if a person may stay',
    ...facts,
  });
}
