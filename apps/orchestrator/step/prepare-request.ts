import type { CatalogTool, Journal } from '#contracts';
import type { ModelRequest } from '#llm';
import { toModelName } from '#tools';
import {
  appendMessages,
  assertTranscript,
  compacted,
  messagesOfTurn,
  withoutSummary,
  type ModelMessage,
} from '#turn';
import type { OrchestratorSettings } from '../deps/orchestrator.deps.js';

/** A request before its model is known. */
export type StepRequest = Omit<ModelRequest, 'model'>;

/**
 * The request for the turn's next model step. Throws `TranscriptError` instead of sending one that would be refused.
 */
export function prepareRequest(
  journal: Journal,
  history: ModelMessage[],
  offered: CatalogTool[],
  settings: OrchestratorSettings,
): StepRequest {
  const { options } = journal.turn;
  const before = compacted(history, journal.steps);
  const all = before.slice();
  appendMessages(all, messagesOfTurn(journal));
  const { summary, messages } = withoutSummary(all);
  // The history was checked when its turns ran; its last message may have grown.
  assertTranscript(messages, before.length - 1);
  return {
    system: [settings.systemPrompt, options.system].filter(Boolean).join('\n\n'),
    ...(summary === undefined ? {} : { summary }),
    messages,
    tools: offered.map((tool) => ({
      name: toModelName(tool.name),
      description: tool.description,
      input_schema: tool.input_schema,
    })),
    max_output_tokens: options.max_output_tokens ?? settings.maxOutputTokens,
    temperature: options.temperature,
  };
}
