import { ok, refuse, type Result } from '#domain/kernel';
import { TestWebhooks, type TestOutcome, type TestRefusal } from '#edges/portal';
import { SampleWebhooks, WebhookSender } from '#edges/webhooks';
import { type OnModuleDestroy } from '@nestjs/common';

type SendArguments = Parameters<TestWebhooks['send']>;

/** Sends test events from this process, one at a time for each merchant: a person waits for each. */
export class TestWebhooksFromHere extends TestWebhooks implements OnModuleDestroy {
  private readonly sending = new Set<string>();

  constructor(
    private readonly samples: SampleWebhooks,
    private readonly sender: WebhookSender,
  ) {
    super();
  }

  onModuleDestroy(): Promise<void> {
    return this.sender.close();
  }

  override async send(...[wanted, by]: SendArguments): Promise<Result<TestOutcome, TestRefusal>> {
    const { merchantId } = wanted;
    if (this.sending.has(merchantId)) return refuse('busy');
    this.sending.add(merchantId);
    try {
      const sent = await this.samples.send(wanted, by);
      if (!sent.ok) return sent;
      const { outcome, status, durationMs = 0 } = sent.value.attempted ?? {};
      return ok({ outcome, status, durationMs });
    } finally {
      this.sending.delete(merchantId);
    }
  }
}
