/** The public service, as errors and settings name it. */
export const ANTHROPIC_API = {
  title: 'Anthropic API',
  keyVariable: 'ANTHROPIC_API_KEY',
  publicUrl: 'https://api.anthropic.com',
} as const;
