import { readFileSync } from 'node:fs';
import { WithoutAuthentication } from '#shared/http';
import { packageDirectory } from '#infra/postgres';
import { Controller, Get, Header } from '@nestjs/common';
import { leavingPage, leavingPolicy } from './page/leaving-page.js';
import { V3GateOptions } from './v3-gate.options.js';

/** Where the Link headers lead: how V3 ends, and how to leave it. */
@Controller()
@WithoutAuthentication('the timetable and the guide are public')
export class LeavingController {
  private readonly html: Buffer;

  constructor({ gaDate }: V3GateOptions) {
    const guide = packageDirectory('docs', 'how-to', 'migrate-from-v3-to-v4.md');
    this.html = Buffer.from(leavingPage(gaDate, readFileSync(guide, 'utf8')));
  }

  @Get('docs/v3')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=60')
  @Header('Content-Security-Policy', leavingPolicy)
  leaving(): Buffer {
    return this.html;
  }
}
