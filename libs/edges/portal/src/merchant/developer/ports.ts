import { Injectable } from '@nestjs/common';
import { type Result } from '#domain/kernel';
import { type WebhookKind } from '#domain/merchants';
import { type WebhookAskedBy } from '#records/webhooks';
import { type WebhookType } from '#views/webhook-outbox';

/** Settings that bound the changes of a merchant's own people. The app provides them under this class. */
export class DeveloperPagesOptions {
  constructor(
    /** WEBHOOK_ALLOW_PRIVATE. */
    readonly allowsPrivateUrls: boolean,
    /** True if ALLOW_UNSAFE lets a live credential be used from every address. */
    readonly allowsEveryAddress: boolean,
    /** True if SMTP_URL is set, so that mails about failing endpoints are sent. */
    readonly sendsMail: boolean,
  ) {}
}

/** `busy`: another test event of the merchant is being sent. `no_words`: V3 has no words for the type. */
export type TestRefusal = 'no_endpoint' | 'no_words' | 'busy';

/** The outcome of a test event (WEB-10); `outcome` is undefined if it was not sent. */
export interface TestOutcome {
  readonly outcome: string | undefined;
  readonly status: number | undefined;
  readonly durationMs: number;
}

/** Sends test events to a merchant's demo endpoint. */
export abstract class TestWebhooks {
  /**
   * Sends one signed sample and waits for the answer.
   * @param by the person who asks
   * @throws DependencyUnavailable
   */
  abstract send(
    wanted: { readonly merchantId: string; readonly kind: WebhookKind; readonly type: WebhookType },
    by: WebhookAskedBy,
  ): Promise<Result<TestOutcome, TestRefusal>>;
}

/** Settings and senders of the endpoint's forms. */
@Injectable()
export class EndpointTools {
  constructor(
    readonly options: DeveloperPagesOptions,
    readonly tests: TestWebhooks,
  ) {}
}
