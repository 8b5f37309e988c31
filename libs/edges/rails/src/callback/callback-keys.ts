import { Injectable } from '@nestjs/common';
import { Ids } from '#domain/kernel';
import { Keyring } from '#shared/signing';

/** What names callbacks and seals them. */
@Injectable()
export class CallbackKeys {
  constructor(
    readonly keyring: Keyring,
    readonly ids: Ids,
  ) {}
}
