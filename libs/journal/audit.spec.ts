import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Outcome } from '#contracts';
import { createMetrics } from '#observability';
import { settle } from './carry-out.js';
import { observeJournal } from './observe-journal.js';
import { auditedCall, auditRecordOf } from './audit.js';
import { at, openPorts, outcomeRow, type TestPorts } from './testing/test-ports.js';

const args = { a: 'a value that nobody may read' };
const label = {
  tool_name: 'math.add',
  display_name: 'add',
  source: 'local' as const,
  approval: 'none' as const,
  audited: auditedCall('ann', args, { version: '1.2.3' }),
};
const failed = (error_type: string, change: Partial<Outcome> = {}) =>
  outcomeRow(1, { status: 'failure', data: null, error: { error_type, error_message: 'No.' }, ...change });

let ports: TestPorts;
let records: Record<string, unknown>[];
beforeEach(async () => {
  ports = await openPorts('worker-1');
  records = [];
  const auditLog = { info: (fields: object) => void records.push(fields as Record<string, unknown>) };
  ports.observer = observeJournal(auditLog, createMetrics({ collectDefaults: false }));
});

describe('the audit log of a call', () => {
  it('is one record with everything but values', async () => {
    await settle(ports, label, outcomeRow(1, { explanation: 'a secret of the output' }));
    expect(records).toEqual([
      {
        audit: 'invoked',
        tool_call_id: outcomeRow(1)._id,
        turn_id: 'turn_1',
        user_id: 'ann',
        tool: 'math.add',
        version: '1.2.3',
        attempt: 1,
        worker: 'worker-1',
        status: 'success',
        error_type: undefined,
        duration_ms: 3,
        arguments_sha256: '7fc4c07e1f5daeb3e5e37b372d2ee7460c490865543f688f642246827ef1790f',
      },
    ]);
    expect(JSON.stringify(records)).not.toMatch(/nobody may read|secret of the output/);
  });

  it('says that a result broke the output schema of its tool, and not how', async () => {
    const outcome = outcomeRow(1, { output_problem: 'a secret is not in the schema' });
    await settle(ports, label, outcome);
    expect(records).toMatchObject([{ audit: 'invoked', breaks_output_schema: true }]);
    expect(auditRecordOf(label, outcome, true)).toMatchObject({ breaks_output_schema: true });
    expect(JSON.stringify([records, auditRecordOf(label, outcome, true)])).not.toContain('secret');
  });

  it.each([
    ['refused', failed('ValidationError', { attempt: 0 })],
    ['cancelled', failed('Cancelled', { attempt: 0 })],
    ['cancelled', failed('Cancelled')],
    ['invoked', failed('TimeoutError')],
    ['invoked', failed('OutcomeUnknown')],
  ])('records %s', async (event, outcome) => {
    await settle(ports, label, outcome);
    expect(records).toMatchObject([{ audit: event, error_type: outcome.error!.error_type }]);
  });

  it('records that a late result was dropped', async () => {
    await settle(ports, label, failed('OutcomeUnknown', { worker: 'orchestrator-1' }));
    const stands = await settle(ports, label, outcomeRow(1, { at: at(20) }));
    expect(stands.error?.error_type).toBe('OutcomeUnknown');
    expect(records).toMatchObject([
      { audit: 'invoked', status: 'failure' },
      { audit: 'late', status: 'success' },
    ]);
  });
});
