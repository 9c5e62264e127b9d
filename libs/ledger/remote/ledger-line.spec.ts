import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Body, Message } from '#contracts';
import type { PublishOutcome } from '#messaging';
import { StoreUnavailableError } from '#store';
import { SeededRandom, VirtualClock } from '#time/testing';
import { LedgerLine } from './ledger-line.js';

const ME = 'worker-lab--1';

let clock: VirtualClock;
let sent: [to: string, body: Body<'ledger.leave'>][];
let outcome: PublishOutcome;
let leaving: AbortController;
let line: LedgerLine;
beforeEach(() => {
  const random = new SeededRandom(1);
  clock = new VirtualClock(random);
  sent = [];
  outcome = 'confirmed';
  leaving = new AbortController();
  const note = (to: string, { body }: Message) => {
    sent.push([to, body as Body<'ledger.leave'>]);
    return Promise.resolve(outcome);
  };
  const bus = { publish: note, send: note };
  line = new LedgerLine({ bus, group: 'lab', me: ME, leaving: leaving.signal, clock, random });
});

const ask = (first?: string) => line.ask('ledger.leave', {}, { purpose: 'calls', first });
const answer = (more: object = {}) =>
  line.answered({ request_id: sent.at(-1)![1].request_id, server: 'orchestrator.1', ...more });

describe('a request to the ledger', () => {
  it('goes to the orchestrator that is named, and to any other if that one is gone', async () => {
    outcome = 'returned';
    const asking = ask('orchestrator.1');
    await clock.advance(0);
    expect(sent.map(([to]) => to)).toEqual(['orchestrator.1', 'ledger.lab.calls']);
    answer();
    expect(await asking).toMatchObject({ server: 'orchestrator.1' });
  });

  it('is repeated as the same request until it is answered, through every outage', async () => {
    outcome = 'unknown';
    const asking = ask('orchestrator.1');
    await clock.advance(60_000);
    expect(sent.length).toBeGreaterThan(10);
    expect(new Set(sent.map(([, body]) => JSON.stringify(body))).size).toBe(1);
    expect(new Set(sent.slice(1).map(([to]) => to))).toEqual(new Set(['ledger.lab.calls']));
    answer();
    await asking;
    const before = sent.length;
    await clock.advance(60_000);
    expect(sent).toHaveLength(before);
  });

  it('rejects when the ledger refuses it, and when the worker leaves', async () => {
    const refused = ask();
    await clock.advance(0);
    answer({ refused: 'not yours' });
    await expect(refused).rejects.toThrow('not yours');
    const left = ask();
    await clock.advance(0);
    leaving.abort(new Error('leaving'));
    await expect(left).rejects.toThrow(StoreUnavailableError);
  });
});
