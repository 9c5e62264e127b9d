import { describe, expect, it } from '@jest/globals';
import { goodHistory } from './good-history.js';
import type { History } from './history.js';
import { judge } from './judge.js';
import { printVerdict } from './print.js';

const print = async (history: History) => printVerdict(history.run, await judge(history));

describe('printVerdict', () => {
  it('says that every goal is met', async () => {
    const text = await print(goodHistory());
    expect(text).toContain('test (--seed 1)');
    expect(text).not.toContain('MISSED');
    expect(text.match(/ met$/gm)).toHaveLength(7);
  });

  it('names each finding, but not a thousand times', async () => {
    const history = goodHistory();
    for (let i = 0; i < 1_000; i++) history.complaints.push({ process_id: 'worker-1', line: `line ${i}` });
    const text = await print(history);
    expect(text).toContain('MISSED: 1000');
    expect(text).toContain('worker-1: line 0');
    expect(text.split('\n').length).toBeLessThan(50);
  });
});
