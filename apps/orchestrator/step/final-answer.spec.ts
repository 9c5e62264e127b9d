import { describe, expect, it } from '@jest/globals';
import type { ModelRequest } from '#llm';
import { answerRequest } from './final-answer.js';

describe('the request for the answer of a turn with a formatter', () => {
  it('lists the formatter after the tools of the loop, which the provider has cached', () => {
    const tools = ['math__add', 'zoo__feed'].map((name) => ({ name, description: '', input_schema: {} }));
    const request: ModelRequest = {
      model: 'anthropic/claude-sonnet-5-5',
      system: '',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
      tools,
      max_output_tokens: 10,
    };
    const asked = answerRequest(request);
    expect(asked.tools.map(({ name }) => name)).toEqual(['math__add', 'zoo__feed', 'response_formatter']);
    expect(asked.tools.slice(0, 2)).toEqual(tools);
  });
});
