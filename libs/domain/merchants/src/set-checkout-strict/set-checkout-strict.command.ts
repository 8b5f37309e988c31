import { Command } from '@nestjs/cqrs';
import { type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';

/**
 * Closes, or opens again, a weakness of V3's checkout hash for a merchant: values joined by nothing let digits move
 * into and out of `ttl`. Strict: `inv` must equal `oid` or end in a non-digit, and what follows `ttl` must be a whole
 * number or begin like none (the checkout's `isUnambiguous`).
 */
export class SetCheckoutStrict extends Command<Result<undefined, 'unknown_merchant'>> {
  constructor(
    readonly details: { readonly merchantId: string; readonly strict: boolean },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
