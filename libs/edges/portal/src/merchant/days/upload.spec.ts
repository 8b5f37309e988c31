import { describe, expect, it } from '@jest/globals';
import { StreamedBody } from '#shared/http';
import { bytesOf, readUpload } from './upload.js';

const of = (subject: string) => ({ issuer: 'https://id.example', subject });
const type = 'multipart/form-data; boundary=b';
const whole =
  '--b\r\nContent-Disposition: form-data; name="file"; filename="f.csv"\r\n\r\na,b\r\n--b--\r\n';

function sent(chunks: AsyncIterable<Buffer>): StreamedBody {
  return new StreamedBody(chunks, { contentType: type, maxBytes: 1000 });
}
const all = () =>
  sent(
    (async function* () {
      await Promise.resolve();
      yield Buffer.from(whole);
    })(),
  );

describe('files of one person', () => {
  it('are limited to two at once, until each is closed; another person’s are not affected', async () => {
    const [first, second] = [
      await readUpload(all(), of('asha')),
      await readUpload(all(), of('asha')),
    ];
    expect((await bytesOf(first)).toString()).toBe('a,b');
    const busy = { error: { status: 429, code: 'too_many_requests' } };
    await expect(readUpload(all(), of('asha'))).rejects.toMatchObject(busy);
    await (await readUpload(all(), of('joseph'))).close();
    await first.close();
    await (await readUpload(all(), of('asha'))).close();
    await second.close();
  });

  it('no longer count if they break off or are not files', async () => {
    const broken = () =>
      sent(
        (async function* () {
          await Promise.resolve();
          yield Buffer.from('--b\r\n');
          throw new Error('gone');
        })(),
      );
    const none = () =>
      new StreamedBody(
        (async function* () {
          await Promise.resolve();
          yield Buffer.alloc(0);
        })(),
        { contentType: 'text/csv', maxBytes: 9 },
      );
    for (const wrong of [broken, broken, broken, none, none])
      await expect(readUpload(wrong(), of('wanjiru'))).rejects.toMatchObject({
        error: { code: expect.stringMatching(/invalid_request|unsupported_media_type/) },
      });
    await (await readUpload(all(), of('wanjiru'))).close();
  });
});
