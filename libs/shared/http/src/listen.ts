import { type NestFastifyApplication } from '@nestjs/platform-fastify';

/**
 * Listens on every address of the machine, IPv6 and IPv4, or IPv4 alone where the machine has no IPv6.
 * @param port 0 takes a free one
 * @returns the port
 */
export async function listenEverywhere(app: NestFastifyApplication, port: number): Promise<number> {
  try {
    await app.listen(port, '::');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAFNOSUPPORT') throw error;
    await app.listen(port, '0.0.0.0');
  }
  return (app.getHttpServer().address() as { port: number }).port;
}
