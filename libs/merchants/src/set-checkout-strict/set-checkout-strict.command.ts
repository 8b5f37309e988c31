import { Command } from '@nestjs/cqrs';
import { type Result } from '#kernel';
import { type CommandMetadata } from '#event-sourcing';

/**
 * Closes, or opens again, a weakness of V3's checkout hash for a merchant: values joined by nothing let digits move
 * between `inv` and `ttl`. Strict: `inv` must equal `oid` or end in a non-digit.
 */
export class SetCheckoutStrict extends Command<Result<undefined, 'unknown_merchant'>> {
  constructor(
    readonly details: { readonly merchantId: string; readonly strict: boolean },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
