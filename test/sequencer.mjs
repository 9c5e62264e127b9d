import Sequencer from '@jest/test-sequencer';

/** The longest first. What waits for processes and a browser leaves the cores to what computes. */
const LONG = ['/test/world/walks.spec.ts', '/test/model/', '/test/e2e/', '/test/web/', '/test/integration/'];

/**
 * Jest knows how long a file takes from the run before. A fresh clone has had none, and a long file that begins last is
 * waited for alone.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const place = LONG.findIndex((part) => path.includes(part));
      return place < 0 ? LONG.length : place;
    };
    return super.sort(tests).sort((a, b) => rank(a) - rank(b));
  }
}
