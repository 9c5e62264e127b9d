import type { ListedSwitch, SwitchKind } from '#contracts';
import { shortId } from './short-id.js';

export type SwitchPlace = Pick<ListedSwitch, 'kind' | 'name'>;

interface SwitchWords {
  /** What the button does to it, and what undoes that; `name` is as people read it. */
  set: (name: string) => string;
  undo: (name: string) => string;
  /** Where it stands, for a list and after "and" in a sentence. */
  state: (name: string) => string;
  /** What follows, before it is set. */
  consequence: string;
}

const WORDS: Record<SwitchKind, SwitchWords> = {
  toolset: {
    set: (name) => `Pause ${name}`,
    undo: (name) => `Resume ${name}`,
    state: (name) => `${name} is paused`,
    consequence:
      'Models are no longer offered its tools. Calls that wait are refused; calls that run finish.',
  },
  tool: {
    set: (name) => (name === '' ? 'Block a tool' : `Block ${name}`),
    undo: (name) => `Unblock ${name}`,
    state: (name) => `${name} is blocked`,
    consequence: 'Models are no longer offered it. Calls that wait are refused; calls that run finish.',
  },
  process: {
    set: (name) => `Drain ${name}`,
    undo: (name) => `Undo the drain of ${name}`,
    state: (name) => `${name} drains`,
    consequence:
      'It takes no new work until this is undone. What it has begun goes on. A gateway refuses new connections: if it is the only one, nobody can open the chat.',
  },
  turns: {
    set: () => 'Refuse new turns',
    undo: () => 'Take turns again',
    state: () => 'new turns are refused',
    consequence:
      'Every gateway refuses new messages and tells their senders the reason. Turns that run go on.',
  },
  logs: {
    set: (name) => `Set the log level of ${name}`,
    undo: (name) => `Reset the log level of ${name}`,
    state: (name) => `the log level of ${name} is changed`,
    consequence: 'Processes log from this level on.',
  },
};

export const setLabel = ({ kind, name }: SwitchPlace) => WORDS[kind].set(shortId(name));
export const undoLabel = ({ kind, name }: SwitchPlace) => WORDS[kind].undo(shortId(name));
export const switchState = ({ kind, name }: SwitchPlace) => WORDS[kind].state(shortId(name));
export const consequenceOf = (kind: SwitchKind) => WORDS[kind].consequence;

/** Undefined while nothing is switched. */
export function switchedSentence(switches: readonly SwitchPlace[]): string | undefined {
  if (switches.length === 0) return undefined;
  return `Switched by operators: ${switches.map(switchState).join('; ')}.`;
}

export function findSwitch(
  switches: readonly ListedSwitch[],
  kind: SwitchKind,
  name: string,
): ListedSwitch | undefined {
  return switches.find((row) => row.kind === kind && row.name === name);
}
