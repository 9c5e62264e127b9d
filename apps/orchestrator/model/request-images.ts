import type { ModelImage, ModelMessage } from '#llm';
import type { Store } from '#store';
import { readImageHeader } from '#tools';
import type { ImageReference } from '#turn';

export interface ImageLimits {
  /** Of one request. */
  images: number;
  /** Bytes of all images of a request, each counted as often as it is shown. */
  requestBytes: number;
  /** Bytes of one image: 5 MB as base64. */
  imageBytes: number;
  /** Pixels of each side. */
  side: number;
  /** Bytes of base64 that stay in memory for the next request. */
  cacheBytes: number;
}

/** What the strictest provider takes. */
const DEFAULT_LIMITS: ImageLimits = {
  images: 20,
  requestBytes: 12 * 1024 * 1024,
  imageBytes: 3_750_000,
  side: 8_000,
  cacheBytes: 32 * 1024 * 1024,
};

/**
 * The pictures of a request. Histories only name them; here the newest ones are loaded, as many as fit. What is not
 * loaded stays the text that names it.
 */
export class RequestImages {
  /** Least recently used first. */
  private readonly cache = new Map<string, ModelImage>();
  private cachedBytes = 0;
  private readonly limits: ImageLimits;

  constructor(
    private readonly store: Pick<Store, 'getArtifact'>,
    limits: Partial<ImageLimits> = {},
  ) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /** By artifact id; undefined when there is nothing to show, so that most requests wait for nothing. */
  load(
    conversationId: string,
    messages: readonly ModelMessage[],
  ): Promise<ReadonlyMap<string, ModelImage>> | undefined {
    const chosen = this.choose(messages);
    return chosen.length === 0 ? undefined : this.loadAll(conversationId, chosen);
  }

  /** Newest first, until one does not fit. */
  private choose(messages: readonly ModelMessage[]): string[] {
    const { images, requestBytes, imageBytes } = this.limits;
    const chosen: string[] = [];
    let [count, bytes] = [0, 0];
    for (const { id, size, shown } of shownImages(messages)) {
      if (size > imageBytes) continue;
      count += shown;
      bytes += size * shown;
      if (count > images || bytes > requestBytes) break;
      chosen.push(id);
    }
    return chosen;
  }

  private async loadAll(conversationId: string, ids: string[]): Promise<ReadonlyMap<string, ModelImage>> {
    const loaded = new Map<string, ModelImage>();
    await Promise.all(
      ids.map(async (id) => {
        const image = this.cache.get(id) ?? (await this.read(conversationId, id));
        if (!image) return;
        this.keep(id, image);
        loaded.set(id, image);
      }),
    );
    return loaded;
  }

  private async read(conversationId: string, id: string): Promise<ModelImage | undefined> {
    const artifact = await this.store.getArtifact(id);
    if (artifact?.conversation_id !== conversationId) return undefined;
    const header = readImageHeader(Buffer.from(artifact.content, 'base64'));
    if (!header || Math.max(header.width, header.height) > this.limits.side) return undefined;
    return { content_type: header.contentType, data: artifact.content };
  }

  private keep(id: string, image: ModelImage): void {
    if (!this.cache.delete(id)) this.cachedBytes += image.data.length;
    this.cache.set(id, image);
    for (const [oldest, { data }] of this.cache) {
      if (this.cachedBytes <= this.limits.cacheBytes) break;
      this.cache.delete(oldest);
      this.cachedBytes -= data.length;
    }
  }
}

/** Each picture once, the one shown last first, with the number of results that show it. */
function shownImages(messages: readonly ModelMessage[]): { id: string; size: number; shown: number }[] {
  const found = new Map<string, { id: string; size: number; shown: number }>();
  for (const { artifact_id: id, size } of newestFirst(messages)) {
    const known = found.get(id);
    if (known) known.shown++;
    else found.set(id, { id, size, shown: 1 });
  }
  return [...found.values()];
}

/** Before every request over a whole history, most often without a picture: nothing is copied. */
function* newestFirst(messages: readonly ModelMessage[]): Generator<ImageReference> {
  for (let at = messages.length - 1; at >= 0; at--) {
    const { role, content } = messages[at]!;
    if (role !== 'user') continue;
    for (let n = content.length - 1; n >= 0; n--) {
      const item = content[n]!;
      if (item.type === 'tool_result' && item.images) yield* item.images.toReversed();
    }
  }
}
