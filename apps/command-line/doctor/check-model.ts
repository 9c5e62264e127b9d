import type { Environment } from '#bootstrap';
import type { Checked } from '#contracts';
import { checkModelAccess, defaultModelName, findModelProblem, type ModelAccess } from '#llm';
import type { Clock } from '#time';

/** The model of the deployment, and the keys of all providers that are set, with a question that costs no tokens. */
export async function checkModels(environment: Environment, clock: Clock): Promise<Checked[]> {
  const access = await checkModelAccess(environment, clock);
  const name = defaultModelName(environment);
  if (name === 'demo')
    return [{ subject: 'model', level: 'ok', text: 'the demo model answers' }, ...access.map(describe)];
  const problem = findModelProblem(name, environment);
  if (problem === undefined) return access.map(describe);
  const mend = 'docs/models.md names what each provider needs.';
  return [{ subject: 'model', level: 'error', text: problem, mend }, ...access.map(describe)];
}

function describe({ provider, state, host, reason }: ModelAccess): Checked {
  const subject = `model provider ${provider}`;
  switch (state) {
    case 'ok':
      return { subject, level: 'ok', text: `${host} accepts the key` };
    case 'refused':
      return {
        subject,
        level: 'error',
        text: `${host} refuses the key (${reason})`,
        mend: 'Set another key, or check what this one may do.',
      };
    case 'unreachable':
      return {
        subject,
        level: 'error',
        text: `${host} cannot be reached (${reason})`,
        mend: 'Check the address, the network and its proxies.',
      };
    case 'unclear':
      return {
        subject,
        level: 'warning',
        text: `not checked: ${host} gives no list of models (${reason})`,
        mend: 'Send a message to see whether it answers.',
      };
  }
}
