import { Controller, Post, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Permits } from '../../access/permits.js';
import { postedForm } from '../../access/posted-form.js';
import { Refusals } from '../../access/refusals.js';
import { viewerOf } from '../../access/viewer.js';
import { seeOtherPage } from '../../page/page.js';
import { Places } from '../place.js';
import { AccessDesk } from './access-desk.js';

/** Lets a merchant's owner withdraw a request that no admin has taken up (POR-98). */
@Controller('portal/merchants/:merchantId/:mode/access')
export class AccessController {
  constructor(
    private readonly places: Places,
    private readonly desk: AccessDesk,
    private readonly refusals: Refusals,
  ) {}

  @Post('withdraw')
  @Permits('access.withdraw')
  async withdraw(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const place = await this.places.of(request);
    const id = postedForm(request).get('request') ?? '';
    const kind = await this.desk.withdraw(id, viewerOf(request), place);
    if (kind === undefined) this.refusals.refuse('changed');
    const page = kind === 'credential' || kind === 'ip_list' ? 'keys' : 'team';
    seeOtherPage(reply, `${place.base}/${page}?done=request_withdrawn`);
  }
}
