import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FleetHarness, scriptedModel, USAGE } from './fleet-harness.js';

let fleet: FleetHarness;
beforeEach(async () => {
  fleet = await FleetHarness.open();
});
afterEach(() => fleet.close());

const model = () =>
  scriptedModel(() => [
    { type: 'text', text: 'From the model.' },
    { type: 'end', stop_reason: 'end_turn', usage: USAGE },
  ]);

describe('options of a turn', () => {
  it('system follows the deployment’s system prompt in the request', async () => {
    const asked = model();
    await fleet.startOrchestrator(asked, { systemPrompt: 'You are the fleet.' });
    await fleet.event(await fleet.submit('Hi', { options: { system: 'Be brief.' } }), 'complete');
    await fleet.event(await fleet.submit('Hi again'), 'complete');
    expect(asked.requests.map(({ system }) => system)).toEqual([
      'You are the fleet.\n\nBe brief.',
      'You are the fleet.',
    ]);
  });

  it('answer ends a turn whose import broke off, without asking a model', async () => {
    const asked = model();
    await fleet.startOrchestrator(asked);
    const turn = await fleet.submit('What was it?', { options: { answer: 'It was this.' } });
    expect(await fleet.event(turn, 'complete')).toMatchObject({ content: 'It was this.' });
    const silent = await fleet.submit('And then?', { options: { answer: '' } });
    expect(await fleet.event(silent, 'complete')).toMatchObject({ content: '' });
    expect(asked.requests).toEqual([]);
  });
});
