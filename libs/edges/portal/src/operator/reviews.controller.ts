import { listUnpostedReports, missedMoney } from '#records/rails';
import { isMode } from '#domain/kernel';
import { Database } from '#infra/postgres';
import { itemOf } from '#desk/operators';
import { causes } from '#desk/words';
import { listReviews, type ReviewCause } from '#views/reviews';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../access/permits.js';
import { viewerOf } from '../access/viewer.js';
import { sendPage } from '../page/page.js';
import { pageSize, queryOf } from './page-context.js';
import { PageContexts } from './page-contexts.js';
import { reviewsPage } from './reviews-page.js';

/** The page of open reviews. */
@Controller('portal/reviews')
export class ReviewsController {
  constructor(
    private readonly database: Database,
    private readonly contexts: PageContexts,
  ) {}

  @Get()
  @Permits('reviews.see')
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const viewer = viewerOf(request);
    const query = queryOf(request);
    const [why, mode, merchant] = ['why', 'mode', 'merchant'].map((name) =>
      (query.get(name) ?? '').trim(),
    ) as [string, string, string];
    const after = query.get('after') ?? '';
    // Proposals are in the records. The replica's may be older than the review that they are about.
    const listed = listReviews(this.database, {
      ...(isCause(why) ? { why } : {}),
      ...(isMode(mode) ? { mode } : {}),
      ...(merchant === '' ? {} : { merchantId: merchant }),
      ...(/^\d{1,18}$/.test(after) ? { after: BigInt(after) } : {}),
      limit: pageSize,
    });
    const unposted = (fromRail: boolean) =>
      listUnpostedReports(this.database, { fromRail, limit: pageSize });
    const [reviews, { payments }, ofRail, ofOthers] = await Promise.all([
      listed,
      missedMoney(this.database, pageSize),
      unposted(true),
      unposted(false),
    ]);
    const missed = payments.filter(({ stream }) => stream !== null && itemOf(stream));
    const filter = { why, mode, merchant };
    const context = await this.contexts.naming(viewer, {
      people: reviews.reviews.map(({ proposal }) => proposal?.proposedBy),
      merchants: reviews.reviews.map(({ merchantId }) => merchantId),
    });
    const content = reviewsPage(
      { ...reviews, filter, missed, unposted: [...ofRail, ...ofOthers] },
      context,
    );
    sendPage(request, reply, {
      title: context.texts.reviews.title,
      content,
      place: 'reviews',
      refresh: 30,
    });
  }
}

function isCause(text: string): text is ReviewCause {
  return Object.hasOwn(causes, text);
}
