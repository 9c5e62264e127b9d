import { ModelError, type Model, type ModelPart, type ModelRequest } from '#llm';
import type { ProcessClock, SeededRandom } from '#time/testing';
import { findPlan } from '../soak/plan.js';
import { wordsOf } from '../soak/said.js';
import type { World } from './world.js';

/** Answers as each message plans; now and then overloaded, broken off in the middle, or silent for a while. */
export class SimulatedModel implements Model {
  constructor(
    private readonly world: World,
    private readonly clock: ProcessClock,
    private readonly random: SeededRandom,
  ) {}

  async *stream({ messages }: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart> {
    const { clock, random } = this;
    const request = this.world.nextModelRequest();
    const moods = this.world.faults.model;
    await clock.sleep(20 + random.float() * 200, signal);
    if (random.float() < moods.refuses) throw new ModelError('Overloaded', 'overloaded', { retryable: true });
    const found = findPlan(messages);
    if (!found) throw new ModelError('No plan was found.', 'invalid', { retryable: false });
    this.world.noteModelStep(`${found.plan.name} ${found.stepsTaken}`);
    const breaksOff = random.float() < moods.breaksOff;
    for (const text of wordsOf(request, 2 + random.choose(8))) {
      // Providers cut anywhere, also between the halves of a character.
      const cut = random.choose(text.length);
      if (cut > 0) yield { type: 'text', text: text.slice(0, cut) };
      if (cut > 0) await clock.sleep(random.float() * 60, signal);
      yield { type: 'text', text: text.slice(cut) };
      await clock.sleep(random.float() * 60, signal);
      if (random.float() < moods.stalls) await clock.sleep(random.float() * 8_000, signal);
      if (breaksOff && random.float() < 0.3)
        throw new ModelError('Broken off', 'network', { retryable: true });
    }
    const calls = found.plan.steps[found.stepsTaken] ?? [];
    for (const [i, { tool, takesMs }] of calls.entries()) {
      const args = { label: `${found.plan.name} r${request}.${i}`, takes_ms: takesMs };
      yield { type: 'tool_call', name: `trace__${tool}`, arguments: args, raw: '' };
    }
    const usage = { input_tokens: 10, output_tokens: 5, cached_tokens: 0 };
    yield { type: 'end', stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', usage };
  }
}
