import { LRUCache } from 'lru-cache';
import type { ModelImage, ModelMessage } from '#llm';
import type { Store } from '#store';
import { readImageHeader } from '#tools';
import type { ImageReference } from '#turn';

export interface ImageLimits {
  /** The largest number of images in one request. */
  images: number;
  /** Bytes of all images of a request, each counted as often as it is shown. */
  requestBytes: number;
  /** Bytes of one image: 5 MB as base64. */
  imageBytes: number;
  /** The largest number of pixels on each side. */
  side: number;
  /** Bytes of base64 that are cached for the next request. */
  cacheBytes: number;
}

/** The limits of the strictest provider. */
const DEFAULT_LIMITS: ImageLimits = {
  images: 20,
  requestBytes: 12 * 1024 * 1024,
  imageBytes: 3_750_000,
  side: 8_000,
  cacheBytes: 32 * 1024 * 1024,
};

/**
 * Loads the pictures of a request. Histories only name them. As many of the newest ones as fit are loaded; the others
 * remain as the text that names them.
 */
export class RequestImages {
  private readonly cache: LRUCache<string, ModelImage>;
  private readonly limits: ImageLimits;

  constructor(
    private readonly store: Pick<Store, 'getArtifact'>,
    limits: Partial<ImageLimits> = {},
  ) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    this.cache = new LRUCache({
      maxSize: this.limits.cacheBytes,
      sizeCalculation: ({ data }) => data.length,
    });
  }

  /** By artifact id. Undefined when there is nothing to show, so that most requests do not wait. */
  load(
    conversationId: string,
    messages: readonly ModelMessage[],
  ): Promise<ReadonlyMap<string, ModelImage>> | undefined {
    const chosen = this.choose(messages);
    return chosen.length === 0 ? undefined : this.loadAll(conversationId, chosen);
  }

  /**
   * The pictures that remain after each one arrived. When one no longer fits, the oldest are dropped until the rest
   * fits into half of the limit. If only the oldest one were dropped each time, every request would differ from the
   * previous one near its beginning, and the provider's cache would never match.
   */
  private choose(messages: readonly ModelMessage[]): string[] {
    const { images, requestBytes, imageBytes } = this.limits;
    const window = new ImageWindow();
    for (const { artifact_id, size } of oldestFirst(messages)) {
      if (size > imageBytes) continue;
      window.show(artifact_id, size);
      if (window.fits(images, requestBytes)) continue;
      // The newest one stays if it fits on its own.
      while (window.ids.length > 1 && !window.fits(images / 2, requestBytes / 2)) window.dropOldest();
      if (!window.fits(images, requestBytes)) window.dropOldest();
    }
    return window.ids;
  }

  private async loadAll(conversationId: string, ids: string[]): Promise<ReadonlyMap<string, ModelImage>> {
    const loaded = new Map<string, ModelImage>();
    await Promise.all(
      ids.map(async (id) => {
        // A picture belongs to its conversation, also once it is cached.
        const key = JSON.stringify([conversationId, id]);
        const image = this.cache.get(key) ?? (await this.read(conversationId, id));
        if (!image) return;
        this.cache.set(key, image);
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
}

/** The pictures that a request shows, in order of appearance; several results may show the same one. */
class ImageWindow {
  private readonly shown = new Map<string, { size: number; times: number }>();
  private readonly timesSeen = new Map<string, number>();
  private count = 0;
  private bytes = 0;

  get ids(): string[] {
    return [...this.shown.keys()];
  }

  fits(images: number, bytes: number): boolean {
    return this.count <= images && this.bytes <= bytes;
  }

  /** A dropped picture that returns is shown in all of its places. */
  show(id: string, size: number): void {
    const times = (this.timesSeen.get(id) ?? 0) + 1;
    this.timesSeen.set(id, times);
    this.take(id);
    this.shown.set(id, { size, times });
    this.count += times;
    this.bytes += size * times;
  }

  dropOldest(): void {
    this.take(this.ids[0]!);
  }

  private take(id: string): void {
    const known = this.shown.get(id);
    if (!known) return;
    this.shown.delete(id);
    this.count -= known.times;
    this.bytes -= known.size * known.times;
  }
}

/** Runs over the whole history before every request, mostly without a picture, so nothing is copied then. */
function* oldestFirst(messages: readonly ModelMessage[]): Generator<ImageReference> {
  for (const { role, content } of messages) {
    if (role !== 'user') continue;
    for (const item of content) if (item.type === 'tool_result' && item.images) yield* item.images;
  }
}
