import type { Checked } from '#contracts';
import { breakingChanges, type Contract } from './breaking-changes.js';
import { canonicalHash } from './canonical-hash.js';
import { compareVersions, majorOf } from './versions.js';

/** A tool as a running system offers it, or as it is about to be. */
export interface VersionedContract extends Contract {
  version: string;
}

/** What a rolling update from the offered definition to this one does; undefined: nothing changes. */
export function compareWithOffered(
  subject: string,
  offered: VersionedContract,
  next: VersionedContract,
): Checked | undefined {
  const change = `${next.version}, after ${offered.version}`;
  const order = compareVersions(next.version, offered.version);
  if (order < 0)
    return {
      ...{ subject, level: 'warning', text: `${next.version} is older than the running ${offered.version}` },
      mend: 'It is offered again while its workers run.',
    };
  if (majorOf(next.version) !== majorOf(offered.version))
    return { subject, level: 'ok', text: `a new major version: ${change}` };
  const breaks = breakingChanges(offered, next);
  if (breaks.length > 0)
    return {
      ...{ subject, level: 'error', text: `${change}, breaks calls made for it: ${breaks.join(', ')}` },
      mend: `Make it ${majorOf(offered.version) + 1}.0.0, or take the change back.`,
    };
  if (order > 0) return { subject, level: 'ok', text: `a change that breaks nothing: ${change}` };
  if (canonicalHash(contractOf(next)) === canonicalHash(contractOf(offered))) return undefined;
  return {
    ...{ subject, level: 'warning', text: `it changed, and is ${next.version} as before` },
    mend: 'Raise its minor version.',
  };
}

function contractOf({ class: toolClass, input_schema, output_schema }: Contract) {
  return { class: toolClass, input_schema, output_schema: output_schema ?? null };
}
