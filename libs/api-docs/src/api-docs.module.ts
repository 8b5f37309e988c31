import { Module } from '@nestjs/common';
import { DocsController } from './docs.controller.js';

/** Needs nothing of the app but to stand beside the edges that it documents. */
@Module({ controllers: [DocsController] })
export class ApiDocsModule {}
