import { describe, expect, it } from '@jest/globals';
import { type CanActivate, Controller, Get, Injectable, Module } from '@nestjs/common';
import { createLogger, Metrics } from '#infra/runtime';
import { authenticatedBy, createHttpApp, WithoutAuthentication } from './index.js';

@Injectable()
class AnyoneMay implements CanActivate {
  canActivate = () => true;
}
const Guarded = () => authenticatedBy(AnyoneMay);

@Controller('forgotten')
class ForgottenController {
  @Guarded()
  @Get('closed')
  closed() {
    return {};
  }
  @Get('open')
  open() {
    return {};
  }
}

@Controller('heir')
class HeirController extends ForgottenController {}

@Controller('whole')
@Guarded()
class WholeController {
  @Get()
  get() {
    return {};
  }
}

@Controller('public')
class PublicController {
  @WithoutAuthentication('a specimen')
  @Get()
  get() {
    return {};
  }
}

const logger = createLogger({ app: 'test', level: 'silent' });

async function start(...controllers: (new () => object)[]): Promise<void> {
  @Module({ controllers, providers: [AnyoneMay] })
  class Specimen {}
  const app = await createHttpApp(Specimen, { trustedProxies: [], logger, metrics: new Metrics() });
  await app.close();
}

describe('an application', () => {
  it.each([
    ['ForgottenController.open', ForgottenController],
    ['HeirController.open', HeirController],
  ])('does not start with the open route %s, and names it', async (name, controller) => {
    await expect(start(WholeController, controller)).rejects.toThrow(name);
  });

  it('starts if every route, or its whole controller, has a decorator', async () => {
    await expect(start(WholeController, PublicController)).resolves.toBeUndefined();
  });
});
