import { idSchema, type Artifact } from '#contracts';
import type { Store } from '#store';
import type { User } from '../people/auth/user.js';
import type { Ownership } from '../turns/ownership.js';
import { notFound } from '../errors/request-error.js';
import type { ArtifactPlaces } from './artifact-places.js';

/** Outputs that calls left, for the owner of their conversation. */
export class Artifacts {
  constructor(
    private readonly store: Pick<Store, 'getArtifact'>,
    private readonly ownership: Ownership,
    /** A read over HTTP takes one first. */
    readonly places: ArtifactPlaces,
  ) {}

  /** A missing artifact, another user's and one of a deleted conversation get the same answer. */
  async read(user: User, id: string): Promise<Artifact> {
    if (!idSchema.safeParse(id).success) throw notFound();
    const artifact = await this.store.getArtifact(id);
    if (!artifact) throw notFound();
    await this.ownership.conversation(user, artifact.conversation_id);
    return artifact;
  }
}
