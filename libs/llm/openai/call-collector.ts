/** A piece of a call as servers send it, with all fields of the standard; some servers omit some. */
export interface CallDelta {
  index?: number;
  id?: string | null;
  function?: { name?: string | null; arguments?: unknown };
  extra_content?: { google?: { thought_signature?: string } } | null;
}

export interface CollectedCall {
  name: string;
  /** Arguments as JSON text, as far as they came. */
  json: string;
  signature?: string;
}

type OpenCall = CollectedCall & { index: number | undefined; id: string };

/**
 * Assembles calls from their pieces. By the standard each call has an index, and its first piece has the id. Servers
 * also send whole calls, leave out ids or indexes, give every call the same id or index, and repeat the name in each
 * piece.
 */
export class CallCollector {
  private readonly open: OpenCall[] = [];

  get calls(): readonly CollectedCall[] {
    return this.open;
  }

  /** Adds a piece and returns the part of the arguments' JSON text in it. */
  add(delta: CallDelta): string {
    const name = delta.function?.name ?? '';
    const json = toText(delta.function?.arguments);
    const call = this.find(delta, name, json) ?? this.start(delta);
    call.id ||= delta.id ?? '';
    call.name ||= name;
    call.json += json;
    const signature = delta.extra_content?.google?.thought_signature;
    if (typeof signature === 'string' && signature !== '') call.signature ??= signature;
    return json;
  }

  private start({ index }: CallDelta): OpenCall {
    const call: OpenCall = { index, id: '', name: '', json: '' };
    this.open.push(call);
    return call;
  }

  /** The call that the piece continues. */
  private find({ index, id }: CallDelta, name: string, json: string): OpenCall | undefined {
    const candidate = this.open.findLast((call) => {
      if (index !== undefined) return call.index === index;
      // Without index and id, it is the last call.
      return !id || call.id === id;
    });
    if (!candidate) return undefined;
    const isOther =
      (id && candidate.id && candidate.id !== id) ||
      (name !== '' && candidate.name !== '' && name !== candidate.name);
    // After a whole object only the next call can follow.
    const isNext = json.trimStart().startsWith('{') && isWhole(candidate.json);
    return isOther || isNext ? undefined : candidate;
  }
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function isWhole(json: string): boolean {
  if (!json.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
