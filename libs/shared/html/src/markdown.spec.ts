import { describe, expect, it } from '@jest/globals';
import { markdown } from './markdown.js';

describe('a guide as HTML', () => {
  it('has its headings, with anchors, its lists and its tables', () => {
    const text = [
      '## Send a *call*',
      '',
      'One line',
      'and `more` of it.',
      '',
      '- first',
      '  goes on',
      '- **second**',
      '',
      '| V3 | V4 |',
      '| --- | --- |',
      '| `a` | b |',
    ].join('\n');
    expect(markdown(text).text).toBe(
      [
        '<h2 id="send-a-call">Send a *call*</h2>',
        '<p>One line and <code>more</code> of it.</p>',
        '<ul>\n<li>first goes on</li>\n<li><strong>second</strong></li>\n</ul>',
        '<div class="wide" tabindex="0"><table><thead><tr><th scope="col">V3</th><th scope="col">V4</th></tr></thead>' +
          '<tbody><tr><td><code>a</code></td><td>b</td></tr></tbody></table></div>',
      ].join('\n'),
    );
  });

  it('lets nothing of its text be markup', () => {
    expect(markdown('a <b> & "c" `<i>`').text).toBe(
      '<p>a &lt;b&gt; &amp; &quot;c&quot; <code>&lt;i&gt;</code></p>',
    );
    expect(markdown('```sh\necho "<x>" # no heading\n\n- no list\n```').text).toBe(
      '<pre tabindex="0"><code>echo &quot;&lt;x&gt;&quot; # no heading\n\n- no list</code></pre>',
    );
  });

  it('links to what the server has, and leaves the words of a link into the repository', () => {
    expect(markdown('[docs](/docs), [api](/openapi.json) and [file](../../libs/x.ts)').text).toBe(
      '<p><a href="/docs">docs</a>, <a href="/openapi.json">api</a> and file</p>',
    );
  });
});
