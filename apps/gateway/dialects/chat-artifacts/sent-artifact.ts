import { createHash } from 'node:crypto';

/** An artifact to send; it gets its id and position when it is sent. */
export interface Draft {
  type: string;
  title: string;
  /** Text; JSON as a string; of pictures base64. */
  content: string;
  language?: string;
  metadata?: Record<string, unknown>;
}

/** An artifact in the front end's format. */
export interface SentArtifact extends Draft {
  id: string;
  artifactId: string;
  position: number;
}

/** Its own names for three types. */
const FRONT_END_TYPES = new Map([
  ['application/vnd.ant.code', 'code'],
  ['application/vnd.mermaid', 'application/vnd.ant.mermaid'],
  ['text/html', 'html'],
]);

export function sentArtifact(draft: Draft, id: string, position: number): SentArtifact {
  const { type, title, content, language, metadata } = draft;
  return {
    id,
    artifactId: id,
    type: FRONT_END_TYPES.get(type) ?? type,
    title,
    content,
    position,
    ...(language === undefined ? {} : { language }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** The button in the answer that opens an artifact: one line of HTML. */
export function buttonOf({ id, type, title }: Pick<SentArtifact, 'id' | 'type' | 'title'>): string {
  const label = escapeHtml(title.replace(/\s+/g, ' ').trim());
  return `<button class="artifact-button" data-artifact-id="${escapeHtml(id)}" data-artifact-type="${escapeHtml(type.replace(/\s+/g, ' '))}">📎 ${label}</button>`;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** Two drafts of one key are one artifact. Short, however long the content is. */
export function keyOf({ type, content }: Draft): string {
  const name = JSON.stringify(FRONT_END_TYPES.get(type) ?? type);
  return createHash('sha256').update(name).update('\n').update(content).digest('base64url');
}
