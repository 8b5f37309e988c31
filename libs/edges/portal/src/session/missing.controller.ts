import { Controller, Get } from '@nestjs/common';
import { SignedIn } from '../access/permits.js';
import { Refusals } from '../access/refusals.js';

/**
 * Addresses that no other route serves. A person who is signed in keeps the sidebar and the search (POR-14); others
 * sign in first.
 */
@Controller('portal')
@SignedIn()
export class MissingController {
  constructor(private readonly refusals: Refusals) {}

  @Get('*')
  refuse(): never {
    this.refusals.refuse('not_found');
  }
}
