import type { ImageReference } from './model.port.js';

/** The text in place of a picture that the request does not show. */
export function nameOfImage({ artifact_id, content_type }: ImageReference): string {
  return `[${content_type}, artifact ${artifact_id}, is not shown here]`;
}
