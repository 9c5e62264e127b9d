import { describe, expect, it } from '@jest/globals';
import {
  definitionIdOf,
  type Artifact,
  type AuditRecord,
  type DeadLetter,
  type Definition,
} from '#contracts';
import type { Store } from '../port/store.port.js';
import { makeCallId, makeId, sampleProcess } from './sample-rows.js';

const at = '2026-03-01T10:00:00.000Z';

function auditRecord(change: Partial<AuditRecord>): AuditRecord {
  const place = { user_id: makeId(), conversation_id: makeId(), turn_id: makeId() };
  return {
    _id: `${at}-${makeId()}`,
    at,
    audit: 'invoked',
    ...place,
    tool_call_id: makeCallId(),
    tool: 'time.now',
    version: '1.0 \u{1F4A5}',
    attempt: 1,
    worker: 'worker-1',
    status: 'success',
    duration_ms: 12,
    arguments_sha256: makeId(),
    ...change,
  };
}

export function describeSmallCollections(store: () => Store): void {
  describe('processes', () => {
    it('counts up the beat of a living process, or sets a higher one, and reports a removed one as gone', async () => {
      const row = sampleProcess();
      await store().insertProcess(row);
      expect(await store().beat(row._id)).toBe('beaten');
      expect(await store().beat(row._id)).toBe('beaten');
      expect(await store().listProcesses()).toContainEqual({ ...row, beat: 2 });
      const load = { draining: true, toolsets: { math: { running: 1, slots: 16, per_second: 0.5 } } };
      await store().beat(row._id, load);
      await store().beat(row._id);
      expect(await store().listProcesses()).toContainEqual({ ...row, beat: 4, load });
      expect(await store().beatTo(row._id, 9, load)).toBe('beaten');
      expect(await store().beatTo(row._id, 7, {})).toBe('beaten');
      await store().keepLedgerBeats(row._id, { lab: 3 });
      const ledger_beats = { lab: 3 };
      expect(await store().listProcesses()).toContainEqual({ ...row, beat: 9, load, ledger_beats });
      await store().removeProcess(row._id);
      await store().removeProcess(row._id);
      expect(await store().beat(row._id)).toBe('gone');
      expect(await store().beatTo(row._id, 9)).toBe('gone');
      expect((await store().listProcesses()).map(({ _id }) => _id)).not.toContain(row._id);
    });
  });

  describe('requests for approval', () => {
    it('are kept as they came first, listed oldest first, and removed by id or when they are due', async () => {
      const ids = { turn_id: makeId(), conversation_id: makeId(), user_id: makeId() };
      const place = { ...ids, approvers: ['chief', 'a \u{1F4A5}'] };
      const rows = [3, 1, 2].map((n) => ({
        ...{ _id: makeCallId(), ...place },
        ...{ at: `2020-01-0${n}T00:00:00.000Z`, due_at: n },
      }));
      for (const row of rows) await store().keepApprovalRequest(row);
      await store().keepApprovalRequest({ ...rows[0]!, approvers: ['other'] });
      const [third, first, second] = rows;
      expect(await store().listApprovalRequests(2)).toEqual([first, second]);
      await store().removeApprovalRequests([first!._id, makeCallId()]);
      expect(await store().listApprovalRequests(2)).toEqual([second, third]);
      expect(await store().removeApprovalRequestsBefore(3, 10)).toBe(1);
      expect(await store().listApprovalRequests(1)).toEqual([third]);
      await store().removeApprovalRequests([third!._id]);
    });
  });

  describe('switches', () => {
    it('keeps the last writing of each until it is removed', async () => {
      const row = { _id: `toolset:${makeId()}`, kind: 'toolset' as const, name: 'web', by: 'ann', at };
      await store().putSwitch({ ...row, reason: 'the site is down' });
      await store().putSwitch({ ...row, by: 'bob' });
      const other = { ...row, _id: `tool:${makeId()}`, kind: 'tool' as const, reason: 'why $not' };
      await store().putSwitch(other);
      const listed = async () =>
        (await store().listSwitches()).filter(({ _id }) => [row._id, other._id].includes(_id));
      expect(await listed()).toEqual([other, { ...row, by: 'bob' }]);
      await store().removeSwitch(row._id);
      await store().removeSwitch(row._id);
      expect(await listed()).toEqual([other]);
    });
  });

  describe('definitions', () => {
    const definition = (tool: string, hash: string): Definition => ({
      ...{
        _id: definitionIdOf({ name: tool, hash }),
        tool,
        toolset: tool.split('.')[0]!,
        version: '1.0.0',
        at,
      },
      contract: { class: 'read', input_schema: { type: 'object', properties: { $a: { type: 'string' } } } },
      ...{ breaks: ['input $a was removed'], state: 'pending' },
    });

    const listedOf = ({ contract: _contract, ...row }: Definition) => row;

    it('keeps the first of each, up to a limit for a toolset, and accepts those that are pending', async () => {
      const toolset = makeId();
      const [first, second] = [definition(`${toolset}.a`, 'h1'), definition(`${toolset}.b`, 'h1')];
      expect(await store().insertDefinition(first, 2)).toBe('inserted');
      expect(await store().insertDefinition({ ...first, breaks: [] }, 2)).toBe('taken');
      expect(await store().insertDefinition(second, 2)).toBe('inserted');
      expect(await store().insertDefinition(definition(`${toolset}.a`, 'h2'), 2)).toBe('full');
      expect(await store().listDefinitions([`${toolset}.a`, 'nothing.x'])).toEqual([listedOf(first)]);
      expect(await store().getDefinition(first._id)).toEqual(first);
      expect(await store().getDefinition('nothing')).toBeNull();
      const by = { accepted_by: 'olga', accepted_at: at };
      expect(await store().acceptDefinitions([first._id, 'nothing'], by)).toBe(true);
      expect(await store().acceptDefinitions([first._id, 'nothing'], by)).toBe(false);
      const listed = await store().listDefinitions([`${toolset}.a`, `${toolset}.b`]);
      expect(listed.sort((a, b) => (a._id < b._id ? -1 : 1))).toEqual([
        { ...listedOf(first), state: 'accepted', ...by },
        listedOf(second),
      ]);
    });
  });

  describe('catalogues, artifacts, dead letters', () => {
    it('keeps a catalogue under its hash, however often it is put', async () => {
      const schema = { type: 'object', properties: { $ref: { const: '$x' }, 'a.b': {} } };
      const tool = {
        name: 'math.add',
        own_name: 'add',
        description: 'Adds',
        input_schema: schema,
        class: 'read' as const,
        timeout_ms: 1000,
        hash: 'h',
        toolset: 'math',
        source: 'local' as const,
        display_name: 'add',
      };
      const row = { _id: makeId(), tools: [tool] };
      await Promise.all([store().putCatalog(row), store().putCatalog(row)]);
      expect(await store().getCatalog(row._id)).toEqual(row);
      expect(await store().getCatalog(makeId())).toBeNull();
    });

    it('keeps an artifact of 8 MiB', async () => {
      const content = Buffer.alloc(8 * 1024 * 1024, 'ab').toString('base64');
      const place = { conversation_id: makeId(), turn_id: makeId(), tool_call_id: makeCallId() };
      const about = { content_type: 'image/png', size: 8 * 1024 * 1024, hash: makeId(), at };
      const row: Artifact = { _id: makeId(), user_id: makeId(), ...place, ...about, content };
      await store().putArtifact(row);
      await store().putArtifact(row);
      const stored = await store().getArtifact(row._id);
      expect(stored?.content === content).toBe(true);
      expect({ ...stored, content: '' }).toEqual({ ...row, content: '' });
      expect(await store().getArtifact(makeId())).toBeNull();
    });

    it('keeps the same artifact once: the first row stands', async () => {
      const place = { conversation_id: makeId(), turn_id: makeId(), tool_call_id: makeCallId() };
      const about = { content_type: 'text/plain', size: 2, hash: makeId(), name: 'a\ud83d$.txt', at };
      const first: Artifact = { _id: makeId(), user_id: makeId(), ...place, ...about, content: 'aGk=' };
      const { name: _name, ...unnamed } = first;
      await store().putArtifact(first);
      await store().putArtifact({ ...unnamed, tool_call_id: makeCallId(), at: '2026-04-01T10:00:00.000Z' });
      expect(await store().getArtifact(first._id)).toEqual(first);
    });

    it('lists dead letters, newest first, and keeps each once', async () => {
      const days = ['2099-01-02', '2099-01-03', '2099-01-01'];
      const rows: DeadLetter[] = days.map((day) => ({
        _id: makeId(),
        queue: 'turns',
        reason: 'rejected',
        message_id: 'not \u{1F4A5} ours',
        content: '{"broken": ',
        at: `${day}T00:00:00.000Z`,
      }));
      for (const row of [...rows, ...rows]) await store().putDeadLetter(row);
      expect(await store().listDeadLetters(2)).toEqual([rows[1], rows[0]]);
      expect(await store().listDeadLetters(3)).toEqual([rows[1], rows[0], rows[2]]);
    });

    it('removes old dead letters, oldest first, a bounded number', async () => {
      const letter = (day: number): DeadLetter => ({
        _id: makeId(),
        queue: 'turns',
        reason: 'rejected',
        message_id: makeId(),
        content: '{}',
        at: `2020-01-0${day}T10:00:00.000Z`,
      });
      const rows = [3, 1, 2].map(letter);
      for (const row of rows) await store().putDeadLetter(row);
      const left = async () => {
        const found = await Promise.all(rows.map(({ _id }) => store().getDeadLetter(_id)));
        return found.flatMap((row) => (row ? [row.at.slice(8, 10)] : []));
      };
      expect(await store().removeOldDeadLetters('2020-01-03T10:00:00.000Z', 1)).toBe(1);
      expect(await left()).toEqual(['03', '02']);
      expect(await store().removeOldDeadLetters('2020-01-03T10:00:00.000Z', 10)).toBe(1);
      expect(await left()).toEqual(['03']);
      expect(await store().removeOldDeadLetters('2020-01-04T10:00:00.000Z', 10)).toBe(1);
      expect(await store().removeOldDeadLetters('2020-01-04T10:00:00.000Z', 10)).toBe(0);
    });

    it('notes the last replay of a dead letter, finds those of one turn, and forgets a discarded one', async () => {
      const turn_id = makeId();
      const letter = (day: number, more: object): DeadLetter => ({
        _id: makeId(),
        queue: 'turns',
        reason: 'delivery_limit',
        message_id: 'm',
        content: '{"$set": "a.b"}',
        size: 15,
        at: `2026-03-0${day}T10:00:00.000Z`,
        ...more,
      });
      const [older, newer, other] = [letter(1, { turn_id }), letter(2, { turn_id }), letter(3, {})];
      for (const row of [older, newer, other]) await store().putDeadLetter(row);
      expect(await store().listDeadLettersOfTurn(turn_id, 10)).toEqual([newer, older]);
      expect(await store().listDeadLettersOfTurn(turn_id, 1)).toEqual([newer]);
      await store().noteReplay(older._id, { replayed_at: at, replayed_by: 'ann' });
      const last = { replayed_at: '2026-03-09T10:00:00.000Z', replayed_by: '$bob \u{1F4A5}' };
      await store().noteReplay(older._id, last);
      await store().putDeadLetter(older);
      expect(await store().getDeadLetter(older._id)).toEqual({ ...older, ...last });
      await store().removeDeadLetter(older._id);
      await store().removeDeadLetter(older._id);
      expect(await store().getDeadLetter(older._id)).toBeNull();
      await store().noteReplay(older._id, last);
      expect(await store().listDeadLettersOfTurn(turn_id, 10)).toEqual([newer]);
    });

    it('lists audit records by user, conversation and tool, newest first, page by page', async () => {
      const [user_id, conversation_id, tool] = [makeId(), makeId(), `math.${makeId()}`];
      const ids = ['3', '1', '2'].map((day) => `2026-04-0${day}T10:00:00.000Z-${makeId()}`);
      const rows = ids.map((_id) => auditRecord({ _id, user_id, conversation_id, tool }));
      await store().putAuditRecords([...rows, auditRecord({ user_id }), auditRecord({ conversation_id })]);
      await store().putAuditRecords([rows[0]!, auditRecord({ tool })]);
      const inOrder = [rows[0], rows[2], rows[1]];
      const asked = { user_id, conversation_id, tool, limit: 10 };
      expect(await store().listAuditRecords(asked)).toEqual(inOrder);
      expect(await store().listAuditRecords({ ...asked, user_id: undefined })).toEqual(inOrder);
      expect(await store().listAuditRecords({ user_id, limit: 2 })).toHaveLength(2);
      expect(await store().listAuditRecords({ conversation_id, limit: 10 })).toHaveLength(4);
      expect(await store().listAuditRecords({ tool, limit: 10 })).toHaveLength(4);
      expect(await store().listAuditRecords({ ...asked, before: ids[0], limit: 1 })).toEqual([rows[2]]);
      expect(await store().listAuditRecords({ ...asked, before: '2026-04-02' })).toEqual([rows[1]]);
      expect(await store().listAuditRecords({ ...asked, user_id: makeId() })).toEqual([]);
    });

    it('removes old audit records, oldest first, a bounded number', async () => {
      const user_id = makeId();
      const ids = ['3', '1', '2'].map((day) => `2020-01-0${day}T10:00:00.000Z-${makeId()}`);
      await store().putAuditRecords(ids.map((_id) => auditRecord({ _id, user_id })));
      const left = async () => (await store().listAuditRecords({ user_id, limit: 9 })).map(({ _id }) => _id);
      expect(await store().removeOldAuditRecords('2020-01-03', 1)).toBe(1);
      expect(await left()).toEqual([ids[0], ids[2]]);
      expect(await store().removeOldAuditRecords('2020-01-03', 10)).toBe(1);
      expect(await left()).toEqual([ids[0]]);
    });

    it('says what time it is, as whole milliseconds that pass', async () => {
      const first = await store().time();
      expect(Number.isInteger(first)).toBe(true);
      expect(first).toBeGreaterThanOrEqual(Date.parse('2026-01-01'));
      for (let now = first; now <= first;) now = await store().time();
    });

    it('answers a ping', async () => {
      await expect(store().ping()).resolves.toBeUndefined();
    });
  });
}
