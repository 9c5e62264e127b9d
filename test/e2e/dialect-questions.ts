import { expect } from '@jest/globals';
import type { TurnView } from '#contracts';
import { turnViewOf } from '#turn';
import type { SwitchyardProcess } from '../services/processes.js';
import { waitFor } from '../services/wait-for.js';
import type { Cluster } from './cluster.js';
import { DIALECT_CLIENTS, type Asked, type Question, type Told } from './dialect-clients.js';
import type { Gates } from './gates.js';
import { requestJson } from './standalone-process.js';

export const DIALECTS = Object.keys(DIALECT_CLIENTS);

/** A question that was asked in a dialect. */
export interface Asking extends Question {
  dialect: string;
  asked: Asked;
}

/** Questions to a cluster in every dialect; its workers have the toolset `repeats` of `Gates`. */
export class DialectQuestions {
  constructor(
    private readonly cluster: Cluster,
    private readonly gates: Gates,
  ) {}

  /** In a conversation of its own. */
  async ask(dialect: string, content: string): Promise<Asking> {
    return this.askIn(dialect, { place: await this.newPlace(), key: `key-of-${dialect}`, content });
  }

  async askIn(
    dialect: string,
    question: Question,
    { url }: SwitchyardProcess = this.cluster.gateways[0]!,
  ): Promise<Asking> {
    return { ...question, dialect, asked: await DIALECT_CLIENTS[dialect]!.ask(url, question) };
  }

  async newPlace(): Promise<string> {
    const path = `${this.cluster.gateways[0]!.url}/api/conversations`;
    return (await requestJson<{ id: string }>(path, { method: 'POST', json: {} })).body.id;
  }

  /** In each dialect, with a tool that holds under `<dialect>-<name>`; resolves when all of them do. */
  async askAllToHold(name: string): Promise<Asking[]> {
    const hold = (dialect: string) => `call repeats__hold with {"name":"${dialect}-${name}"}`;
    const asking = await Promise.all(DIALECTS.map((dialect) => this.ask(dialect, hold(dialect))));
    await this.allHold(name);
    return asking;
  }

  /** Resolves when each tool has been started so often. */
  async allHold(name: string, times = 1): Promise<void> {
    await Promise.all(DIALECTS.map((dialect) => this.gates.started(`${dialect}-${name}`, times)));
  }

  openAll(name: string): void {
    for (const dialect of DIALECTS) this.gates.open(`${dialect}-${name}`);
  }

  /** All of them are told that the tool held, of which exactly so many starts are on the disk. */
  async expectAllHeld(asking: readonly Asking[], name: string, starts: number): Promise<void> {
    for (const one of asking) {
      const gate = `${one.dialect}-${name}`;
      await this.expectAnswered(one, { text: `held ${gate}`, calls: ['hold'] });
      expect([gate, this.gates.starts(gate)]).toEqual([gate, starts]);
    }
  }

  /** The turns of the conversation that was asked in, as the journal has them. */
  async turnsOf({ asked: { conversationId } }: Asking): Promise<TurnView[]> {
    const turns = await this.cluster.store.listTurns(conversationId, { limit: 9 });
    return (await this.cluster.store.readJournals(conversationId, turns)).map((journal) =>
      turnViewOf(journal),
    );
  }

  async turnIdOf(asking: Asking): Promise<string> {
    const find = async () => (await this.turnsOf(asking))[0]?.turn_id;
    return waitFor(find, { what: `the turn of ${asking.dialect}` });
  }

  /** Told to its end, and the same that the only turn of this question says in the journal. */
  async expectAnswered(asking: Asking, said: Told): Promise<void> {
    const { dialect, asked } = asking;
    const client = DIALECT_CLIENTS[dialect]!;
    const { text, calls } = await asked.told.catch((error: unknown) => {
      throw new Error(`${dialect}: ${String(error)}`, { cause: error });
    });
    const turns = (await this.turnsOf(asking)).filter(({ content }) => content === asking.content);
    expect([dialect, turns.map(({ status, error }) => error ?? status)]).toEqual([dialect, ['completed']]);
    expect([dialect, text]).toEqual([dialect, client.answerOf(turns[0]!)]);
    expect([dialect, text]).toEqual([dialect, expect.stringContaining(said.text)]);
    expect([dialect, calls]).toEqual([dialect, client.showsCalls ? said.calls : []]);
  }
}
