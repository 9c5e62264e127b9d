import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { CallView } from '#contracts';
import { say, useTools } from '../fakes/messages-reply.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import { Gates } from './gates.js';
import { callsOf, endsOf, statusAndText } from './models-chat.js';
import { listsAll } from './offered-tools.js';
import { ScriptedProvider } from './scripted-provider.js';
import { newFolder, removeFolders, startStandalone, writeSettings } from './standalone-process.js';
import { Viewer } from './viewer.js';

const START_MS = 90_000;
const PATIENCE = { timeoutMs: 40_000 };
const multiply = (id: string, a: number, b: number) =>
  [id, 'math__multiply', { a, b }] as [string, string, Record<string, unknown>];

describe('calls that wait for a person', () => {
  let provider: ScriptedProvider;
  let gates: Gates;
  let env: Record<string, string>;
  let standalone: SwitchyardProcess;
  let phone: Viewer;
  let laptop: Viewer;
  let conversationId: string | undefined;

  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    gates = await Gates.create();
    const tools = { 'math.multiply': { approve: 'first' }, ask: { approve: 'always' } };
    env = {
      ...provider.env,
      DATA_DIR: await newFolder(),
      MCP_CONFIG: await gates.mcpConfig({ ask: 'once', gate: 'once' }),
      CONFIG: await writeSettings('switchyard.json', { tools }),
    };
    standalone = await startStandalone(env);
    await listsAll(standalone, ['ask', 'gate']);
  }, START_MS);
  afterAll(async () => {
    await standalone?.kill();
    await provider?.close();
    await gates?.remove();
    await removeFolders();
  });
  beforeEach(async () => {
    conversationId = undefined;
    [phone, laptop] = [await Viewer.connect(standalone.url), await Viewer.connect(standalone.url)];
  });
  afterEach(() => {
    phone.close();
    laptop.close();
    expect(provider.violations).toEqual([]);
    expect(provider.unused).toBe(0);
  });

  /** Sent from the phone; the laptop follows. */
  async function send(content: string, ...replies: Parameters<ScriptedProvider['answer']>): Promise<string> {
    provider.answer(...replies);
    const more = conversationId === undefined ? {} : { conversation_id: conversationId };
    const sent = await phone.send(content, more);
    if (conversationId === undefined) await laptop.join(sent.conversation_id);
    conversationId = sent.conversation_id;
    return sent.turn_id;
  }

  const callsSeen = (viewer: Viewer, turnId: string): CallView[] => {
    const turn = viewer.turn(conversationId!, turnId);
    return turn ? callsOf(turn) : [];
  };
  async function waiting(viewer: Viewer, turnId: string, count = 1): Promise<CallView[]> {
    const seen = () => callsSeen(viewer, turnId).filter(({ state }) => state === 'awaiting_approval');
    await waitFor(() => seen().length === count, { what: `${count} calls that wait`, ...PATIENCE });
    return seen();
  }
  const answer = (viewer: Viewer, turn_id: string, call: CallView, decision: 'approve' | 'deny') =>
    viewer.request('tool_approval', { turn_id, tool_call_id: call.tool_call_id, decision });
  const ended = (turnId: string) => laptop.ended(conversationId!, turnId, PATIENCE.timeoutMs);

  test('the first approved use of a tool approves the later ones of its conversation, also after SIGKILL', async () => {
    const first = await send('multiply', useTools(multiply('toolu_1', 6, 7)), say('42.'));
    const [call] = await waiting(laptop, first);
    expect(call!.args).toEqual({ a: 6, b: 7 });
    expect(await answer(laptop, first, call!, 'approve')).toEqual({});
    expect(await answer(phone, first, call!, 'deny')).toMatchObject({ error: { code: 'already_answered' } });
    expect(statusAndText(await ended(first))).toEqual(['completed', '42.']);
    expect(callsSeen(phone, first)).toMatchObject([{ approval: { decision: 'approve', by: 'local' } }]);

    await standalone.kill();
    standalone = await startStandalone({ ...env, PORT: String(standalone.port) });
    await laptop.join(conversationId!);
    await phone.join(conversationId!);
    const second = await send('again', useTools(multiply('toolu_2', 2, 3)), say('6.'));
    expect(endsOf(await ended(second))).toEqual([['succeeded', '6']]);
    expect(callsSeen(laptop, second)[0]).not.toHaveProperty('approval');

    conversationId = undefined;
    const elsewhere = await send('elsewhere', useTools(multiply('toolu_3', 2, 3)), say('No.'));
    const [asked] = await waiting(laptop, elsewhere);
    await answer(phone, elsewhere, asked!, 'deny');
    expect(statusAndText(await ended(elsewhere))).toEqual(['completed', 'No.']);
  }, 120_000);

  test('a denial tells the model that a person refused, and does not approve later calls', async () => {
    const turnId = await send('multiply', useTools(multiply('toolu_1', 6, 7)), say('All right.'));
    const [call] = await waiting(laptop, turnId);
    await answer(laptop, turnId, call!, 'deny');
    expect(endsOf(await ended(turnId))).toEqual([['failed', 'PermissionError']]);
    expect(JSON.stringify(provider.lastMessages.at(-1))).toContain(
      'A person (local) denied this call. It was not run.',
    );
    const again = await send('once more', useTools(multiply('toolu_2', 6, 7)), say('Again not.'));
    const [second] = await waiting(laptop, again);
    await answer(phone, again, second!, 'deny');
    await ended(again);
  }, 60_000);

  test('other calls of the step run meanwhile; the wait survives SIGKILL; each is answered separately', async () => {
    gates.open('free');
    gates.open('asked-1');
    const turnId = await send(
      'hold',
      useTools(
        ['toolu_1', 'ask__hold', { name: 'asked-1' }],
        ['toolu_2', 'gate__hold', { name: 'free' }],
        ['toolu_3', 'ask__hold', { name: 'asked-2' }],
      ),
      say('Held.'),
    );
    const [one] = await waiting(laptop, turnId, 2);
    await waitFor(() => callsSeen(laptop, turnId)[1]?.state === 'succeeded', {
      what: 'the free one',
      ...PATIENCE,
    });
    expect([gates.starts('free'), gates.starts('asked-1'), gates.starts('asked-2')]).toEqual([1, 0, 0]);
    const parked = () => laptop.turn(conversationId!, turnId)?.status === 'awaiting_input';
    await waitFor(parked, { what: 'a parked turn', ...PATIENCE });
    const listed = async () =>
      (
        (await (await fetch(`${standalone.url}/api/conversations`)).json()) as {
          id: string;
          status?: string;
        }[]
      ).find(({ id }) => id === conversationId)?.status;
    await waitFor(async () => (await listed()) === 'awaiting_input', { what: 'the mark', ...PATIENCE });

    await standalone.kill();
    standalone = await startStandalone({ ...env, PORT: String(standalone.port) });
    await listsAll(standalone, ['ask']);
    await laptop.join(conversationId!);
    expect(await answer(laptop, turnId, one!, 'approve')).toEqual({});
    const [other] = await waiting(laptop, turnId, 1);
    expect(other!.args).toEqual({ name: 'asked-2' });
    await answer(laptop, turnId, other!, 'deny');
    expect(endsOf(await ended(turnId))).toEqual([
      ['succeeded', 'held asked-1'],
      ['succeeded', 'held free'],
      ['failed', 'PermissionError'],
    ]);
    expect([gates.starts('free'), gates.starts('asked-1'), gates.starts('asked-2')]).toEqual([1, 1, 0]);
  }, 120_000);

  test('Stop ends waiting calls as never started and tells running ones to stop, within 2 s', async () => {
    const turnId = await send(
      'hold',
      useTools(['toolu_1', 'ask__hold', { name: 'never' }], ['toolu_2', 'gate__hold', { name: 'obeys' }]),
    );
    await waiting(laptop, turnId);
    await gates.started('obeys');
    const running = callsSeen(laptop, turnId)[1]!.tool_call_id;
    const named = (await laptop.request('stop', { turn_id: turnId })).may_be_running as string[];
    // A tool that obeyed before the answer was made is not running any more.
    if (named.length > 0) expect(named).toEqual([running]);
    else expect(await readTurns(standalone.url, conversationId!)).not.toContain('"state":"running"');
    const isOver = () => callsSeen(phone, turnId).every(({ state }) => state === 'cancelled');
    await waitFor(isOver, { what: 'both ends at the other device', ...PATIENCE });
    const [never, obeyed] = callsSeen(phone, turnId);
    expect(never!.error?.error_details).toEqual({ started: false });
    expect(obeyed!.error?.error_details).toEqual({ started: true });
    // The worker does not wait for its server's own end.
    await waitFor(() => gates.cancels('obeys') === 1, { what: 'the tool being told to stop' });
    expect(gates.starts('never')).toBe(0);
    expect(await answer(phone, turnId, never!, 'approve')).toMatchObject({ error: { code: 'not_found' } });
    expect(await phone.request('stop', { turn_id: turnId })).toEqual({ may_be_running: [] });
    const next = await send('and now?', say('Here.'));
    expect(statusAndText(await ended(next))).toEqual(['completed', 'Here.']);
  }, 60_000);
});

/** As HTTP reads them from the journal. */
async function readTurns(url: string, conversationId: string): Promise<string> {
  return (await fetch(`${url}/api/conversations/${conversationId}/turns`)).text();
}
