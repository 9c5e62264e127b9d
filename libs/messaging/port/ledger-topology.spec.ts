import { describe, expect, it } from '@jest/globals';
import type { Message } from '#contracts';
import { isFromItsSender, ledgerQueue, parseLedgerQueue, rightsOf } from './ledger-topology.js';
import { controlExchangeOf, controlQueue, kindOfQueue } from './topology.js';

const WORKER = 'worker-lab-1--6f1c2d3e';

// Pinned: processes of two versions, and queues made by the older, meet on one broker.
describe('the topology of a group of workers', () => {
  it('has queues of transient requests that no dead worker’s backlog fills', () => {
    expect(ledgerQueue('lab-1', 'calls')).toEqual({
      name: 'ledger.lab-1.calls',
      durable: true,
      exclusive: false,
      arguments: {
        'x-queue-type': 'classic',
        'x-message-ttl': 5_000,
        'x-overflow': 'reject-publish',
        'x-max-length': 10_000,
      },
      bindings: [
        { queue: 'ledger.lab-1.calls', exchange: 'switchyard.ledger.lab-1', key: 'calls' },
        { queue: 'ledger.lab-1.calls', exchange: 'switchyard.commands', key: 'ledger.lab-1.calls' },
      ],
    });
    expect(kindOfQueue('ledger.lab-1.bulk')).toBe('ledger');
    expect(parseLedgerQueue('ledger.lab-1.beats')).toEqual({ group: 'lab-1', purpose: 'beats' });
    for (const name of ['ledger.lab--1.calls', 'ledger.lab.other', 'ledger.calls', 'ledger.*.calls'])
      expect([kindOfQueue(name), parseLedgerQueue(name)]).toEqual([undefined, undefined]);
  });

  it('has control messages of its workers on an exchange of its own', () => {
    const { name, bindings } = controlQueue({ role: 'worker', processId: WORKER }, 'c0ffee');
    expect(name).toBe('worker.lab-1.6f1c2d3e.control.c0ffee');
    expect(bindings.map(({ exchange, key }) => [exchange, key])).toEqual([
      ['switchyard.control.lab-1', 'worker.lab-1--6f1c2d3e'],
      ['switchyard.control.lab-1', 'ledger.all'],
    ]);
    expect(controlExchangeOf('worker.6f1c2d3e-0000-4000-8000-00000000000c')).toBe('switchyard.control');
  });

  it('needs no more rights than these', () => {
    expect(rightsOf({ name: 'lab-1', toolsets: ['lab', 'shop'] })).toEqual({
      configure: String.raw`^worker\.lab-1\..+$`,
      write: String.raw`^(worker\.lab-1\..+|switchyard\.ledger\.lab-1)$`,
      read: String.raw`^(worker\.lab-1\..+|switchyard\.control\.lab-1|tools\.(lab|shop))$`,
    });
  });
});

describe('where a message may come from', () => {
  const message = (type: string, body: object) => ({ type, body }) as Message;
  it.each<[string, string, Message, boolean]>([
    [
      'a request in its own name',
      'switchyard.ledger.lab-1',
      message('ledger.claim', { worker: WORKER }),
      true,
    ],
    [
      'in the name of another group',
      'switchyard.ledger.lab',
      message('ledger.claim', { worker: WORKER }),
      false,
    ],
    [
      'in the name of a worker without a group',
      'switchyard.ledger.lab-1',
      message('ledger.leave', { worker: 'worker-1' }),
      false,
    ],
    ['a request from elsewhere', 'switchyard.commands', message('ledger.claim', { worker: WORKER }), false],
    ['another message from a group', 'switchyard.ledger.lab-1', message('tool.result', {}), false],
    ['an orchestrator’s beat', 'switchyard.commands', message('ledger.pulse', {}), true],
    ['an orchestrator’s beat from a group', 'switchyard.ledger.lab-1', message('ledger.pulse', {}), false],
    ['any other message', 'switchyard.control', message('turn.stop', {}), true],
  ])('%s on %s', (_, exchange, sent, isAllowed) => {
    expect(isFromItsSender(exchange, sent)).toBe(isAllowed);
  });
});
