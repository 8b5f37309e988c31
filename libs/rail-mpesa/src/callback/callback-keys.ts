import { Injectable } from '@nestjs/common';
import { Ids } from '#kernel';
import { Keyring } from '#signing';

/** What names callbacks and seals them. */
@Injectable()
export class CallbackKeys {
  constructor(
    readonly keyring: Keyring,
    readonly ids: Ids,
  ) {}
}
