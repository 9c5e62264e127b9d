import { beforeEach, describe, expect, it } from '@jest/globals';
import { newMessage, type Body, type LedgerAnswers, type Message, type Switch } from '#contracts';
import { callRow } from '#journal/testing';
import { SeededRandom, VirtualClock } from '#time/testing';
import type { WorkerCall } from '../port/call-ledger.port.js';
import { LedgerLine } from './ledger-line.js';
import { RemoteLedger } from './remote-ledger.js';

const ME = 'worker-lab--1';
const SERVER = 'orchestrator.2';

let clock: VirtualClock;
let random: SeededRandom;
/** What the ledger was asked, and where. */
let asked: { to: string; type: string; body: Body<'ledger.settle'> }[];
let claimed: LedgerAnswers['claim'];
let judged: LedgerAnswers['judge'];
/** Called when a request has arrived. */
let onAsked: (type: string) => Promise<void>;
let ledger: RemoteLedger;
let call: WorkerCall;
beforeEach(() => {
  random = new SeededRandom(1);
  clock = new VirtualClock(random);
  asked = [];
  judged = {};
  onAsked = () => Promise.resolve();
  const { tool_call_id, tool_name, arguments: args, timeout_ms } = callRow(1);
  const deadline = new Date(clock.wall() + 60_000).toISOString();
  const ids = { tool_call_id, turn_id: 'turn_1', conversation_id: 'conv_1', n: 1, user_id: 'ann' };
  const about = { tool_name, arguments: args, timeout_ms, deadline, class: 'once' as const };
  call = {
    body: { ...ids, ...about, reply_to: 'orchestrator.1', token: '0'.repeat(64) },
    label: { tool_name, display_name: tool_name, source: 'local', approval: 'none', audited: undefined! },
  };
  const answer = async (to: string, { type, body }: Message) => {
    asked.push({ to, type, body: body as Body<'ledger.settle'> });
    await onAsked(type);
    const { request_id } = body as Body<'ledger.settle'>;
    const given = { request_id, server: SERVER, claim: claimed, judge: judged };
    line.answered(
      (newMessage({ clock, random }, 'ledger.answered', given) as Message<'ledger.answered'>).body,
    );
    return 'confirmed' as const;
  };
  const bus = { publish: answer, send: answer };
  const leaving = new AbortController().signal;
  const line = new LedgerLine({ bus, group: 'lab', me: ME, leaving, clock, random });
  ledger = new RemoteLedger({ line, clock, beKnown: () => Promise.resolve() });
  const claim = { owner: ME, n: 1, purpose: 'run' as const, at: deadline };
  const place = { turn_id: 'turn_1', conversation_id: 'conv_1' };
  claimed = { claimed: 'mine', claim: { ...claim, ...place, _id: `${tool_call_id}:1` } };
});

const settled = () => asked.filter(({ type }) => type === 'ledger.settle').map(({ body }) => body.result);

describe('a claim through the ledger', () => {
  it('is mine, and whoever served it gets the rest', async () => {
    expect(await ledger.claim(call)).toEqual({ mine: claimed.claim });
    await ledger.settle(call, { attempt: 1, durationMs: 5, result: { status: 'success', data: {} } });
    expect(asked.map(({ to, type }) => [to, type])).toEqual([
      ['orchestrator.1', 'ledger.claim'],
      [SERVER, 'ledger.settle'],
    ]);
  });

  it('of a paused tool ends the call without starting it', async () => {
    const at = new Date(0).toISOString();
    const pause: Switch = { _id: 'tool:math.add', kind: 'tool', name: 'math.add', by: 'ops', at };
    claimed = { ...claimed, pause };
    expect(await ledger.claim(call)).toBe('elsewhere');
    expect(settled()).toMatchObject([
      { error: { error_type: 'DependencyUnavailable', error_details: { started: false } } },
    ]);
  });

  it('that is answered after the deadline ends the call without starting it', async () => {
    onAsked = (type) => (type === 'ledger.claim' ? clock.advance(61_000) : Promise.resolve());
    expect(await ledger.claim(call)).toBe('elsewhere');
    expect(settled()).toMatchObject([
      { error: { error_type: 'TimeoutError', error_details: { started: false } } },
    ]);
  });

  it('after a lost one is made only if the ledger allows it, for the attempt that it names', async () => {
    expect(await ledger.claimAgain(call)).toBe('elsewhere');
    judged = { attempt: 2, evidence: 'dead' };
    expect(await ledger.claimAgain(call)).toEqual({ mine: claimed.claim });
    expect(asked.at(-1)!.body).toMatchObject({ attempt: 2, evidence: 'dead' });
  });

  it('needs a token', async () => {
    delete call.body.token;
    await expect(ledger.claim(call)).rejects.toThrow('has no token');
  });
});
