import { Injectable } from '@nestjs/common';
import { type Admission, type AdmissionRequest, admitRequest, RedisStore } from '#infra/redis';
import { ApiV4Options } from '../api-v4.options.js';

/** Admits requests within their credential's rate and memory, over all replicas. */
@Injectable()
export class Admissions {
  constructor(
    private readonly redis: RedisStore,
    private readonly options: ApiV4Options,
  ) {}

  /** @throws DependencyUnavailable: then the request must not be served */
  admit(request: AdmissionRequest): Promise<Admission> {
    const { credentialMemoryCap: memoryCap } = this.options;
    return admitRequest(this.redis, { ...request, memoryCap });
  }
}
