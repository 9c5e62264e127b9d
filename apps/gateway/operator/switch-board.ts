import {
  ALL_PROCESSES,
  newMessage,
  switchIdOf,
  type AcceptedDefinition,
  type ListedSwitch,
  type SetSwitch,
  type Switch,
  type SwitchKind,
} from '#contracts';
import type { Action, ActionLog, KnownSwitches } from '#journal';
import type { Bus } from '#messaging';
import type { Store } from '#store';
import { timestampOf, type Time } from '#time';
import { toolsetOf } from '#turn';
import { notFound, RequestError } from '../errors/request-error.js';
import type { User } from '../people/auth/user.js';

const MAX_SWITCHES = 500;

type Wanted = Pick<Switch, 'kind' | 'name' | 'reason' | 'level'>;

export interface SwitchBoardDeps extends Time {
  store: Pick<Store, 'putSwitch' | 'removeSwitch' | 'listSwitches' | 'listProcesses'> &
    Pick<Store, 'listDefinitions' | 'acceptDefinitions'>;
  bus: Pick<Bus, 'send'>;
  switches: Pick<KnownSwitches, 'read'>;
  offered: {
    listAll(): { name: string; toolset: string }[];
    listToolsets(): string[];
    announcedDefinitions(toolset: string): { id: string; tool: string }[];
  };
  actions: Pick<ActionLog, 'note'>;
}

/**
 * What operators switch. The row is the switch; every process is told to read it now, and reads it with its next beat
 * anyway.
 */
export class SwitchBoard {
  constructor(private readonly deps: SwitchBoardDeps) {}

  /** Those of processes that are gone are removed: a process id is never used again. */
  async list(): Promise<ListedSwitch[]> {
    const { store } = this.deps;
    const rows = await store.listSwitches();
    if (!rows.some(isOfProcess)) return rows.map(listed);
    const present = new Set((await store.listProcesses()).map(({ _id }) => _id));
    const isLeft = (row: Switch) => isOfProcess(row) && !present.has(row.name);
    await Promise.all(rows.filter(isLeft).map(({ _id }) => store.removeSwitch(_id)));
    return rows.filter((row) => !isLeft(row)).map(listed);
  }

  /** Throws `not_found` for a process that does not exist, `overloaded` when there are too many switches. */
  async set(user: User, wanted: Wanted): Promise<SetSwitch> {
    const { store, clock } = this.deps;
    const { kind, name } = wanted;
    if (isOfProcess(wanted) && !(await this.exists(name))) throw notFound();
    await this.checkRoom(switchIdOf(kind, name));
    const row: Switch = { _id: switchIdOf(kind, name), by: user.id, at: timestampOf(clock), ...wanted };
    await this.change({ audit: 'switch_set', user_id: user.id, subject: row._id }, wanted, () =>
      store.putSwitch(row),
    );
    await this.tell();
    return { ...listed(row), is_known: this.isKnown(kind, name) };
  }

  /** An operator who resumes a tool or a toolset accepts the quarantined definitions that its workers have now. */
  async unset(user: User, kind: SwitchKind, name: string): Promise<AcceptedDefinition[]> {
    const accepted = kind === 'tool' || kind === 'toolset' ? await this.accept(user, kind, name) : [];
    const subject = switchIdOf(kind, name);
    if (!(await this.deps.store.listSwitches()).some(({ _id }) => _id === subject)) return accepted;
    await this.change({ audit: 'switch_unset', user_id: user.id, subject }, { kind, name }, () =>
      this.deps.store.removeSwitch(subject),
    );
    await this.tell();
    return accepted;
  }

  private async accept(user: User, kind: 'tool' | 'toolset', name: string): Promise<AcceptedDefinition[]> {
    const { offered, store, clock } = this.deps;
    const announced = offered
      .announcedDefinitions(toolsetOf(name))
      .filter(({ tool }) => kind === 'toolset' || tool === name);
    if (announced.length === 0) return [];
    const ids = announced.map(({ id }) => id);
    const known = await store.listDefinitions([...new Set(announced.map(({ tool }) => tool))]);
    await store.acceptDefinitions(ids, { accepted_by: user.id, accepted_at: timestampOf(clock) });
    const pending = known.filter(({ _id, state }) => state === 'pending' && ids.includes(_id));
    return pending.map(({ tool, version }) => ({ tool, version }));
  }

  /** A write that was not confirmed may still take effect, so it is audited, too. */
  private async change(action: Action, details: object, write: () => Promise<void>): Promise<void> {
    const { actions } = this.deps;
    try {
      await write();
    } catch (error) {
      actions.note({ ...action, status: 'unknown' }, { ...details, status: 'unknown' });
      throw error;
    }
    actions.note(action, details);
  }

  /** Every process reads all of them every 2 s. */
  private async checkRoom(id: string): Promise<void> {
    const rows = await this.deps.store.listSwitches();
    if (rows.length < MAX_SWITCHES || rows.some(({ _id }) => _id === id)) return;
    throw new RequestError('overloaded', `There are ${MAX_SWITCHES} switches already: undo some of them.`);
  }

  private async tell(): Promise<void> {
    const { bus, switches } = this.deps;
    const message = newMessage(this.deps, 'switches.changed', {});
    // Best effort: a broker that is away must neither fail nor delay a switch that is set.
    for (const key of ALL_PROCESSES) void bus.send(key, message).catch(() => undefined);
    await switches.read();
  }

  private async exists(processId: string): Promise<boolean> {
    return (await this.deps.store.listProcesses()).some(({ _id }) => _id === processId);
  }

  private isKnown(kind: SwitchKind, name: string): boolean {
    const { offered } = this.deps;
    if (kind === 'toolset') return offered.listToolsets().includes(name);
    return kind !== 'tool' || offered.listAll().some((tool) => tool.name === name);
  }
}

function isOfProcess({ kind, name }: Pick<Switch, 'kind' | 'name'>): boolean {
  return kind === 'process' || (kind === 'logs' && name !== 'all');
}

function listed({ _id, ...row }: Switch): ListedSwitch {
  return row;
}
