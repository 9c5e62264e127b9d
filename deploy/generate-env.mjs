// `node deploy/generate-env.mjs [file]`: writes .env for docker compose with random secrets; never overwrites one.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = process.argv[2] ?? fileURLToPath(new URL('../.env', import.meta.url));
const names = ['JWT_SECRET', 'RABBITMQ_PASSWORD'];
const lines = [
  '# Read by docker compose. Keep it out of version control and of images.',
  ...names.map((name) => `${name}=${randomBytes(32).toString('base64url')}`),
  '# MODEL=anthropic/<model>, or openai/<model> with OPENAI_API_KEY, gemini/<model> with GEMINI_API_KEY',
  '# ANTHROPIC_API_KEY=',
];

try {
  writeFileSync(file, lines.join('\n') + '\n', { flag: 'wx', mode: 0o600 });
  console.log(`${file} written`);
} catch (error) {
  if (error.code !== 'EEXIST') throw error;
  console.error(`${file} exists and stays as it is`);
  process.exit(1);
}
