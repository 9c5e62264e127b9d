import type { NamedProvider } from '../failed-request.js';

/** A service that speaks Chat Completions. */
export interface ChatProvider extends NamedProvider {
  /** What stands before the slash of a model's name. */
  name: 'openai' | 'gemini' | 'ollama';
  /** Of the public service or the usual port; up to `/chat/completions`. */
  publicUrl: string;
}

export const OPENAI: ChatProvider = {
  name: 'openai',
  title: 'OpenAI API',
  keyVariable: 'OPENAI_API_KEY',
  publicUrl: 'https://api.openai.com/v1',
};

/** Its endpoint for clients of OpenAI's API. */
export const GEMINI: ChatProvider = {
  name: 'gemini',
  title: 'Gemini API',
  keyVariable: 'GEMINI_API_KEY',
  publicUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
};

export const OLLAMA: ChatProvider = {
  name: 'ollama',
  title: 'Ollama server',
  publicUrl: 'http://127.0.0.1:11434/v1',
};
