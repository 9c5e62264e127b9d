import { describe, expect, it } from '@jest/globals';
import { RequestError } from '../../errors/request-error.js';
import { anOpenTurn, aSession, FULL, REFUSED } from './testing/fake-socket.js';

describe('a genesis-chat socket', () => {
  it('shows one turn at a time, the second one in full from 200 ms after the first is complete', async () => {
    const { clock, say, show, types } = aSession();
    await say('conv_a');
    await say('conv_b');
    await show('turn_b', 'completed', 'Second.');
    await clock.advance(1_000);
    expect(types()).toEqual([]);
    await show('turn_a', 'running', 'First');
    await show('turn_a', 'completed', 'First.');
    expect(types()).toEqual(['token turn_a', 'token turn_a', 'complete turn_a']);
    await show('turn_b', 'completed', 'Second.');
    await clock.advance(199);
    expect(types()).toHaveLength(3);
    await clock.advance(1);
    expect(types().slice(3)).toEqual(['token turn_b', 'complete turn_b']);
  });

  it('sends complete no sooner than 300 ms after the message', async () => {
    const { clock, say, show, types } = aSession();
    await say('conv_a');
    await show('turn_a', 'completed', 'At once.');
    await clock.advance(299);
    expect(types()).toEqual(['token turn_a']);
    await clock.advance(1);
    expect(types()).toEqual(['token turn_a', 'complete turn_a']);
  });

  it('names its conversation and turn in each frame, without internal fields', async () => {
    const { wire, say, show } = aSession();
    await say('conv_a');
    await show('turn_a', 'running', 'Hi');
    expect(wire.frames).toEqual([
      { type: 'token', content: 'Hi', conversation_id: 'conv_a', turn_id: 'turn_a' },
    ]);
  });

  it('answers a ping at once, even while a turn is shown', async () => {
    const { receive, say, types } = aSession();
    await say('conv_a');
    await receive('{"type":"ping"}');
    expect(types()).toEqual(['pong']);
  });

  it('shows a refused message of a conversation as a failed turn, so that its client unlocks', async () => {
    const { clock, wire, say } = aSession();
    await say(REFUSED);
    expect(wire.frames).toEqual([
      { type: 'error', code: 'BUSY', message: 'Not now.', conversation_id: REFUSED },
      { type: 'token', content: 'Not now.', conversation_id: REFUSED },
    ]);
    await clock.advance(300);
    expect(wire.frames.slice(2)).toEqual([
      { type: 'complete', message_id: 'none', status: 'failed', conversation_id: REFUSED },
    ]);
  });

  it('logs an internal error and hides it from the client', async () => {
    const { wire, notes, say, refuseWith } = aSession();
    refuseWith(new Error('secret'));
    await say(REFUSED);
    expect(wire.frames[0]).toMatchObject({ code: 'INTERNAL_ERROR', message: 'Something went wrong.' });
    expect(notes).toEqual(['secret']);
  });

  it('answers an invalid message with an error and stays open', async () => {
    const { receive, say, show, types, wire } = aSession();
    await receive('not json');
    await receive(undefined);
    expect(wire.frames).toMatchObject([{ code: 'INVALID_FORMAT' }, { code: 'INVALID_FORMAT' }]);
    await say('conv_a');
    await show('turn_a', 'running', 'Hi');
    expect(types()).toEqual(['error', 'error', 'token turn_a']);
  });

  it('delays a refusal while an answer is shown, because an error would remove the text', async () => {
    const { clock, receive, say, show, types } = aSession();
    await say('conv_a');
    await receive('not json');
    await say(REFUSED);
    await show('turn_a', 'running', 'Hi');
    expect(types()).toEqual(['token turn_a']);
    await clock.advance(300);
    await show('turn_a', 'completed', 'Hi');
    await clock.advance(200);
    expect(types().slice(2)).toEqual([
      'error',
      `error ${REFUSED}`,
      `token ${REFUSED}`,
      `complete ${REFUSED}`,
    ]);
  });

  it('answers the permitted number of waiting messages in order when all arrive at once', async () => {
    const { clock, wire, session, show } = aSession({ maxWaiting: 64 });
    const ids = Array.from({ length: 64 }, (_, i) => String(i).padStart(2, '0'));
    for (const id of ids) session.receive(JSON.stringify({ conversation_id: `conv_${id}`, content: 'hi' }));
    await clock.advance(1_000);
    for (const id of ids) {
      await clock.advance(200);
      await show(`turn_${id}`, 'completed', 'Yes.');
    }
    expect(wire.closed).toBeUndefined();
    const completes = wire.frames.filter(({ type }) => type === 'complete').map(({ turn_id }) => turn_id);
    expect(completes).toEqual(ids.map((id) => `turn_${id}`));
  });

  it('closes at the first message over the limit, takes none after it, and leaves the others to the next socket', async () => {
    const { clock, session, notes, say, show, wire, types } = aSession({ maxWaiting: 2 });
    await say('conv_a');
    await say('conv_b');
    expect(wire.closed).toBeUndefined();
    await say('conv_c');
    expect(wire.closed).toBe(1008);
    await clock.advance(1_000);
    await show('turn_a', 'completed', 'Yes.');
    // There is room again, and the client may not have read that it is to go.
    await say('conv_d');
    await session.end(false);
    expect(types()).toEqual(['token turn_a', 'complete turn_a']);
    expect(notes).toEqual(['drop turn_a', 'drop turn_b']);
  });

  it('shows a message that is sent twice only once', async () => {
    const { clock, say, show, types } = aSession();
    await say('conv_a');
    await say('conv_a');
    await show('turn_a', 'completed', 'Hi');
    await clock.advance(1_000);
    expect(types()).toEqual(['token turn_a', 'complete turn_a']);
  });

  it('sends complete for a turn whose conversation was deleted while it waited', async () => {
    const follow = () => Promise.reject(new RequestError('not_found', 'gone'));
    const { clock, session, wire } = aSession({ follow });
    session.resume([anOpenTurn()]);
    await clock.advance(0);
    expect(wire.frames).toMatchObject([{ type: 'complete', status: 'cancelled', turn_id: 'turn_a' }]);
  });

  it('closes when it cannot continue, so that its client reconnects for the rest', async () => {
    const follow = () => Promise.reject(new Error('the store is away'));
    const { clock, session, wire, notes } = aSession({ follow });
    session.resume([anOpenTurn()]);
    await clock.advance(0);
    expect([wire.closed, notes]).toEqual([1011, ['the store is away']]);
  });
});

describe('the stored turns of a genesis-chat socket', () => {
  it('forget a turn when its end has been delivered, not when it was sent', async () => {
    const { clock, wire, notes, say, show, session } = aSession();
    await say('conv_a');
    await show('turn_a', 'completed', 'Hi');
    await clock.advance(300);
    expect(notes).toEqual([]);
    await wire.arrive();
    expect(notes).toEqual(['forget turn_a']);
    await session.end(false);
    expect(notes).toEqual(['forget turn_a']);
  });

  it('keep every turn whose end was not delivered when the socket breaks off', async () => {
    const { clock, notes, say, show, session } = aSession();
    await say('conv_a');
    await say('conv_b');
    await show('turn_a', 'completed', 'Hi');
    await clock.advance(300);
    await session.end(false);
    expect(notes).toEqual(['drop turn_a', 'drop turn_b']);
  });

  it('list a turn before it is inserted, so that it survives a gateway killed right after the insert', async () => {
    const { inserted, say } = aSession();
    await say('conv_a');
    expect(inserted).toEqual([{ turn_id: 'turn_a', isNoted: true }]);
  });

  it('drop the turn of a message that is refused', async () => {
    const { notes, say, session } = aSession();
    await say(FULL);
    expect(notes).toEqual(['forget turn_full']);
    await say(REFUSED);
    await session.end(false);
    expect(notes).toEqual(['forget turn_full']);
  });

  it('keep nothing when the client closes the socket', async () => {
    const { notes, say, session } = aSession();
    await say('conv_a');
    await session.end(true);
    expect(notes).toEqual(['forget turn_a']);
  });

  it('keep a message that was accepted after the socket broke off', async () => {
    const { notes, session } = aSession();
    session.receive(JSON.stringify({ conversation_id: 'conv_a', content: 'hi' }));
    await session.end(false);
    expect(notes).toEqual(['drop turn_a']);
  });

  it('send a resumed turn as one text, and drop the turn again when the socket breaks off', async () => {
    const { notes, session, show, wire, clock } = aSession();
    session.resume([anOpenTurn({ attempt: 2 })]);
    await clock.advance(0);
    await show('turn_a', 'running', 'All that was said so far');
    await show('turn_a', 'running', 'All that was said so far, and more');
    expect(wire.frames).toMatchObject([{ content: 'All that was said so far' }, { content: ', and more' }]);
    await session.end(false);
    expect(notes).toEqual(['drop turn_a']);
  });
});
