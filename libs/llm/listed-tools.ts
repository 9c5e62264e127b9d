import type { ModelRequest, ModelTool } from './model.port.js';

/** The tools of a request as its body lists them. */
export function listedTools({
  tools,
  answer_tool,
}: Pick<ModelRequest, 'tools' | 'answer_tool'>): ModelTool[] {
  return answer_tool ? [...tools, answer_tool] : tools;
}
