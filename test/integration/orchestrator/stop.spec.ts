import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { newMessage, type Message } from '#contracts';
import { systemTime } from '#time';
import { waitFor } from '../../services/wait-for.js';
import { FleetHarness, scriptedModel } from './fleet-harness.js';

let fleet: FleetHarness;
beforeEach(async () => {
  fleet = await FleetHarness.open();
});
afterEach(() => fleet.close());

it('Stop of a turn that waits for a person is answered at once, because no text is being written', async () => {
  const { bus } = await fleet.startOrchestrator(scriptedModel(() => []));
  const answers: Message[] = [];
  const gateway = await fleet.gateway();
  await gateway.onControl({ role: 'gateway', processId: 'gateway-1' }, (message) => answers.push(message));
  const stop = { turn_id: 'turn_parked', request_id: 'r', reply_to: 'gateway.1' };
  await bus.send('orchestrator.1', newMessage(systemTime(), 'turn.stop', stop));
  const answer = await waitFor(() => answers[0], { what: 'the answer to the Stop' });
  expect(answer).toMatchObject({
    type: 'turn.stopped',
    body: { turn_id: 'turn_parked', request_id: 'r' },
  });
});
