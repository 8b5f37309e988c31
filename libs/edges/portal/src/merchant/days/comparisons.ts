import { type ReconciledBy, StatementReaders } from '#domain/reconciliation';
import { Database } from '#infra/postgres';
import { compareWithFiles, findAccountDay, type Report } from '#views/reconciliations';
import { Injectable } from '@nestjs/common';
import { MerchantPagesOptions } from '../options.js';
import { type Account, notFound } from '../place.js';
import { type Upload } from './upload.js';

/** Most comparisons at once. Each fills a table of its own, and a further one is refused at once and does not wait. */
const maxComparisons = 2;

/** Compares days with the rail's files. */
@Injectable()
export class Comparisons {
  #atWork = 0;

  constructor(
    private readonly database: Database,
    private readonly readers: StatementReaders,
    private readonly options: MerchantPagesOptions,
  ) {}

  /**
   * @returns undefined if that many already run
   * @throws StatementRefused, TooManyUnmatched, DependencyUnavailable
   */
  async compare(
    { accountNo }: Account,
    { day, channel }: { readonly day: string; readonly channel: string },
    { upload, by }: { readonly upload: Upload; readonly by: ReconciledBy },
  ): Promise<Report | undefined> {
    if (this.#atWork >= maxComparisons) return undefined;
    this.#atWork += 1;
    try {
      const reader = this.readers.of(channel);
      const accountDay = await findAccountDay(this.database, accountNo, { date: day, channel });
      if (!reader || !accountDay) throw notFound();
      return await compareWithFiles(this.database, {
        day: accountDay,
        files: [{ name: upload.fileName ?? '', chunks: upload.chunks() }],
        reader,
        by,
        maxAgeMs: this.options.readModelMaxAgeMs,
      });
    } finally {
      this.#atWork -= 1;
    }
  }
}
