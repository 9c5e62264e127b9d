import { expect, it, jest } from '@jest/globals';
import { StoreUnavailableError } from '#store';
import { LOCAL_USER } from '../../people/auth/user.js';
import { Runs } from './runs.js';

it('an AG-UI run stops following its turn when its thread cannot be read', async () => {
  const close = jest.fn();
  const started = { conversation_id: 'conv_1', turn_id: 'turn_2', number: 2, stream: { close } };
  const deps = {
    named: { find: () => Promise.resolve({ conversation_id: 'conv_1' }) },
    turns: { start: () => Promise.resolve(started) },
    reader: { journalsBefore: () => Promise.reject(new StoreUnavailableError('away')) },
  };
  const runs = new Runs(deps as unknown as ConstructorParameters<typeof Runs>[0]);
  const asked = { threadId: 't', runId: 'r', resume: [], content: 'Hi', system: '', messages: [] };
  await expect(runs.start(LOCAL_USER, asked)).rejects.toThrow(StoreUnavailableError);
  expect(close).toHaveBeenCalled();
});
