import { StatementReader } from '#domain/reconciliation';
import { MerchantPagesOptions } from '#edges/portal';
import { MpesaStatements } from '#edges/rail-mpesa';
import { type ProcessContext } from '#infra/runtime';
import { type Provider } from '@nestjs/common';

/** Providers of the pages of merchants' own people, in addition to the API's own. */
export function merchantPages({ settings, logger }: ProcessContext): Provider[] {
  const { readModelMaxAgeMs, v4GaDate, rails } = settings;
  return [
    {
      provide: MerchantPagesOptions,
      useFactory: () => new MerchantPagesOptions(readModelMaxAgeMs, logger, v4GaDate),
    },
    { provide: StatementReader, useFactory: () => new MpesaStatements(rails.mpesa) },
  ];
}
