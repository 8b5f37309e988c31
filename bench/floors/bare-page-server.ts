import fastify from 'fastify';
import { checkoutHashV4 } from '#shared/signing';

/**
 * The floor of `checkout`: a bare Fastify server that checks a link's hash and answers with as many bytes as a page
 * has.
 */
const { PORT, SECRET = '', PAGE_BYTES } = process.env;
const page = Buffer.alloc(Number(PAGE_BYTES), ' ');

const server = fastify();
server.get('/checkout', (request, reply) => {
  const [, rawQuery = ''] = (request.raw.url ?? '').split('?');
  const hash = checkoutHashV4(SECRET, rawQuery);
  const isLink = hash.ok && rawQuery.endsWith(hash.value);
  return reply
    .code(isLink ? 200 : 403)
    .type('text/html; charset=utf-8')
    .send(page);
});
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
await server.listen({ host: '127.0.0.1', port: Number(PORT) });
