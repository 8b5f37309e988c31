import { Module } from '@nestjs/common';
import { DocsController } from './docs.controller.js';

/** Needs, from the app's infrastructure: ApiDocsOptions. */
@Module({ controllers: [DocsController] })
export class ApiDocsModule {}
