import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { merchantDecider } from '../merchant.js';
import { merchantStream } from '../merchant.events.js';

type RegisterMerchantRefusal = 'already_registered' | 'invalid_timezone';

/** Registers a merchant. Its time zone and country never change after that. */
export class RegisterMerchant extends Command<
  Result<{ merchantId: string }, RegisterMerchantRefusal>
> {
  constructor(
    readonly details: {
      readonly merchantId: string;
      readonly name: string;
      readonly timezone: string;
      readonly country: string;
    },
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(RegisterMerchant)
export class RegisterMerchantHandler implements ICommandHandler<RegisterMerchant> {
  constructor(private readonly pipeline: Pipeline) {}

  async execute({
    details,
    metadata,
  }: RegisterMerchant): Promise<Result<{ merchantId: string }, RegisterMerchantRefusal>> {
    const { merchantId, timezone } = details;
    if (ianaTimeZone(timezone) === undefined) return refuse('invalid_timezone');
    const step = { decider: merchantDecider, stream: merchantStream(merchantId), metadata };
    const begun = await this.pipeline.begin(step, [{ type: 'MerchantRegistered', data: details }]);
    return begun.ok ? ok({ merchantId }) : refuse('already_registered');
  }
}

/**
 * Returns the name of a time zone in IANA's database; undefined for anything else. Offsets such as `+03:00` are
 * rejected: JavaScript accepts them, Postgres reads them with the sign reversed, and neither knows a summer time for
 * them.
 */
export function ianaTimeZone(text: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/**
 * Returns a merchant's time zone in the form that Postgres needs. Histories contain offsets that were accepted once,
 * counted east of Greenwich as in ISO 8601. POSIX, which Postgres follows, counts west.
 */
export function postgresTimeZone(timezone: string): string {
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(timezone);
  if (!offset) return timezone;
  const [, sign, hours, minutes] = offset as unknown as [string, '+' | '-', string, string];
  return `<${sign}${hours}${minutes}>${sign === '+' ? '-' : '+'}${hours}:${minutes}`;
}
