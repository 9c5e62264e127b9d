import type { FakeGateway } from './fake-gateway.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

const titles: [id: string, title: string, daysAgo: number][] = [
  ['charges', 'Double charges on 19 Nov', 0],
  ['stock', 'Nightly stock reconciliation', 0],
  ['recount', 'Recount by warehouse', 0],
  ['skus', 'Rename SKUs, spring catalogue', 1],
  ['prices', 'Supplier price list against October', 1],
  ['halden', 'Reply to Halden Logistics', 1],
  ['returns', 'Returns by reason, third quarter', 3],
  ['flags', 'Feature flags nobody reads', 4],
  ['rounding', 'Currency rounding in invoices', 5],
  ['handover', 'Draft the on-call handover', 40],
];

export function seedConversations(gateway: FakeGateway): void {
  titles.forEach(([id, title, daysAgo], index) => {
    gateway.add(id, title, new Date(Date.now() - daysAgo * DAY_MS - index).toISOString());
  });
}

/** Two steps of parallel calls, a table, and a text that is still growing. */
export function playRunningTurn(gateway: FakeGateway): void {
  const pass = passTime(gateway);
  gateway.aheadMs = -11_800;
  const question =
    'Three customers say they were charged twice on Thursday. How many orders are affected between 14:00 and 16:00 UTC, and what would the refunds cost?';
  const turn = gateway.accept('charges', question, 'charges-1').start();
  turn
    .say("I'll compare our payments with the acquirer's own export for that window.")
    .ask(
      { tool: 'payments.list', args: { kind: 'card', from: '14:00', to: '16:00' }, source: 'mcp' },
      { tool: 'orders.search', args: { query: 'charged_twice' }, source: 'mcp' },
      { tool: 'filesystem.read_file', args: { path: 'acquirer-19-november-2026.csv' } },
    );
  turn.run(0).run(1);
  pass(60);
  turn.run(2);
  pass(86);
  turn.succeed(2, 'date,amount\n', 86);
  pass(266);
  turn.succeed(1, '{"orders":23}', 412);
  pass(828);
  turn.succeed(0, '{"captured":1181}', 1_240);
  turn
    .say("The acquirer booked 1,204 charges, we captured 1,181. I'll match the extra 23 to orders.")
    .ask(
      { tool: 'data.query', args: { sql: 'select order_id, count(*) from charges group by 1' } },
      { tool: 'math.add', args: { numbers: [23, 4] } },
    );
  turn.run(0).run(1);
  pass(3);
  turn.succeed(1, '27', 3);
  pass(637);
  turn.succeed(0, '[{"order_id":"A-48213","count":2}]', 640);
  gateway.aheadMs = 0;
  turn.say(
    [
      '**23 orders were charged twice, €4,118.70 in total.** All fall into one restart, 14:22 to 14:41.',
      '| Cause | Orders | To refund |\n|---|--:|--:|\n| Retried after a timeout; the first charge had gone through | 19 | €3,214.20 |\n| Customer pressed “Pay” a second time | 4 | €904.50 |',
      'The three who wrote in are among the 19: `A-48213`, `A-48220` and `A-48277`. Nothing outside the window shows the pattern',
    ].join('\n\n'),
  );
}

/** One step whose calls are in all the states there are. */
export function playManyStates(gateway: FakeGateway): void {
  const pass = passTime(gateway);
  gateway.aheadMs = -48_000;
  const turn = gateway
    .accept('stock', "Book last night's recount for all five warehouses.", 'stock-1')
    .start();
  const warehouse = (tool: string, args: Record<string, unknown>, state?: 'awaiting_approval') =>
    ({ tool: `warehouse.${tool}`, args, source: 'mcp', state }) as const;
  turn.say("Counts differ for 33 SKUs. I'll book the differences and hold the orders that are affected.").ask(
    warehouse('adjust', {
      sku: 'CH-0417-OAK',
      warehouse: 'HEL-2',
      quantity: -14,
      reason: 'Counted 86, booked 100',
    }),
    warehouse('recount', { warehouse: 'OSL-1', zone: 'B' }),
    warehouse('reserve', { order: 'A-48213' }),
    warehouse('counts', { warehouse: 'RIX-1' }),
    warehouse('adjust', { sku: 'TLL-1', quantity: -9 }, 'awaiting_approval'),
    warehouse('adjust', { sku: 'GOT-3', quantity: -3 }),
    { tool: 'orders.hold', args: { order: 'A-48999' }, source: 'mcp' },
    { tool: 'mail.send', args: { to: 'ops@halden.example' }, source: 'mcp' },
  );
  turn.run(0).run(5);
  pass(1_820);
  const adjusted = {
    adjustment_id: 'adj_5519',
    booked: { before: 100, after: 86 },
    reservations: ['r1', 'r2'],
    blocked: null,
  };
  turn.succeed(0, JSON.stringify(adjusted), 1_820).run(1).run(6);
  pass(118);
  turn.fail(
    6,
    { type: 'ResourceNotFound', message: 'no order A-48999. Archived orders cannot be held.' },
    118,
  );
  pass(4_262);
  turn.fail(
    5,
    {
      type: 'OutcomeUnknown',
      message: 'May have run. The worker died before it could report. It will not be started again.',
    },
    6_200,
  );
  turn.fail(7, { type: 'Cancelled', message: 'not needed', details: { started: false } }, 0);
  pass(18_800);
  turn.run(2, 2);
  pass(10_000);
  turn.progress(1, 412, 1_080, '412 of 1,080 shelves counted');
  gateway.aheadMs = 0;
}

/** A turn that ended well: it folds, and its figures stand below. */
export function playFinishedTurn(gateway: FakeGateway): void {
  const pass = passTime(gateway);
  gateway.aheadMs = -6_100;
  const question = 'Read the recount log and show me the differences by warehouse.';
  const turn = gateway.accept('recount', question, 'recount-1').start();
  const line = (n: number) =>
    `2026-11-21 02:00:${String(n % 60).padStart(2, '0')}  CH-${1000 + n}-OAK  booked 40  counted 40  ok`;
  turn
    .say()
    .ask({ tool: 'filesystem.read_file', args: { path: 'recount-21-nov.log' } })
    .run(0);
  pass(96);
  turn.succeed(
    0,
    Array.from({ length: 450 }, (_, n) => line(n))
      .join('\n')
      .slice(0, 4_000),
    96,
  );
  turn
    .say('I add them up.')
    .ask({ tool: 'math.add', args: { numbers: [14, 9, 6, 3, 1] } })
    .run(0);
  pass(2);
  turn.succeed(0, '33', 2);
  pass(6_002);
  turn.say(
    '**33 pieces are missing, 14 of them in HEL-2.** All but one are oak chairs, `CH-0417-OAK`:\n\n' +
      '1. counted in the aisle that was moved on Friday\n2. booked twice\n\n```sql\nselect sku, sum(diff) from recount\ngroup by 1\n```',
  );
  turn.complete();
  gateway.aheadMs = 0;
}

/** Lets the fake's clock run without waiting. */
function passTime(gateway: FakeGateway): (ms: number) => void {
  return (ms) => {
    gateway.aheadMs += ms;
  };
}
