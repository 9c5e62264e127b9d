import { describe, expect, it } from '@jest/globals';
import { buttonOf, keyOf, sentArtifact } from './sent-artifact.js';

describe('an artifact', () => {
  it.each([
    ['application/vnd.ant.code', 'code'],
    ['application/vnd.mermaid', 'application/vnd.ant.mermaid'],
    ['text/html', 'html'],
    ['text/markdown', 'text/markdown'],
    ['constructor', 'constructor'],
  ])('of type %s is sent as type %s', (type, expected) => {
    const sent = sentArtifact({ type, title: 'A', content: 'x', language: 'ts' }, 'id-1', 3);
    const same = { id: 'id-1', artifactId: 'id-1', title: 'A', content: 'x', position: 3, language: 'ts' };
    expect(sent).toEqual({ ...same, type: expected });
  });

  it('has a one-line button whose values are escaped', () => {
    const button = buttonOf({ id: 'a1', type: 'text/"x"\n', title: 'A <b>&\n "title"\'s' });
    expect(button).toBe(
      '<button class="artifact-button" data-artifact-id="a1" data-artifact-type="text/&quot;x&quot; ">' +
        '📎 A &lt;b&gt;&amp; &quot;title&quot;&#39;s</button>',
    );
  });

  it('has the same key as one of the front end’s own type', () => {
    const code = { type: 'application/vnd.ant.code', title: 'A', content: 'x' };
    expect(keyOf(code)).toBe(keyOf({ ...code, type: 'code', title: 'B' }));
    expect(keyOf(code)).not.toBe(keyOf({ ...code, content: 'y' }));
  });
});
