import { createHash } from 'node:crypto';
import { IMAGE_TYPES, type Artifact, type ArtifactReference } from '#contracts';
import { readImageHeader } from './image-header.js';
import { toPrintable } from './printable.js';
import { ToolError, type Attachment } from './tool.port.js';

/** The maximum size of an artifact in bytes. */
export const MAX_ARTIFACT_BYTES = 8 * 1024 * 1024;

const UNKNOWN_TYPE = 'application/octet-stream';
const MIME_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/;
const MAX_NAME_LENGTH = 128;

/** The user and conversation of an artifact. */
export type ArtifactPlace = Pick<Artifact, 'user_id' | 'conversation_id' | 'turn_id' | 'tool_call_id'>;

/**
 * The row for an attachment. Its type is the one that its bytes show, or else the claimed one. Throws `ToolError` for
 * more bytes than an artifact can hold.
 */
export function makeArtifact(place: ArtifactPlace, attachment: Attachment, at: string): Artifact {
  const content = Buffer.from(attachment.content as Uint8Array);
  if (content.byteLength > MAX_ARTIFACT_BYTES) throw tooLarge(content.byteLength);
  const content_type = verifiedType(attachment.contentType, content);
  const hash = createHash('sha256').update(content).digest('hex');
  const name = attachment.name === undefined ? '' : cleanName(attachment.name);
  return {
    _id: artifactId(place.conversation_id, content_type, hash),
    ...place,
    content_type,
    size: content.byteLength,
    hash,
    ...(name === '' ? {} : { name }),
    content: content.toString('base64'),
    at,
  };
}

export function referenceTo({ _id: id, content_type, size, name }: Artifact): ArtifactReference {
  return { id, content_type, size, ...(name === undefined ? {} : { name }) };
}

export function tooLarge(bytes: number): ToolError {
  return new ToolError({
    error_type: 'ToolExecutionError',
    error_message: `The tool's output of ${bytes} bytes is over the limit of ${MAX_ARTIFACT_BYTES} bytes.`,
  });
}

/** `12 kB`, in the form for people and models. */
export function describeBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The same output of a conversation has the same id, whichever call it came from. */
function artifactId(conversationId: string, contentType: string, hash: string): string {
  const digest = createHash('sha256').update(`${conversationId}\n${contentType}\n${hash}`).digest('hex');
  return `art_${digest.slice(0, 32)}`;
}

function verifiedType(claimed: string, content: Buffer): string {
  const type = claimed.split(';', 1)[0]!.trim().toLowerCase();
  if (!MIME_TYPE.test(type)) return readImageHeader(content)?.contentType ?? UNKNOWN_TYPE;
  if (!type.startsWith('image/') && type !== UNKNOWN_TYPE) return type;
  const found = readImageHeader(content)?.contentType;
  return found ?? ((IMAGE_TYPES as readonly string[]).includes(type) ? UNKNOWN_TYPE : type);
}

/** A file name without a path, and without characters that are special to a shell or a terminal. */
function cleanName(name: string): string {
  const last = toPrintable(name, 1024).split(/[/\\]/).at(-1)!;
  return last
    .replace(/[<>:"|?*]/g, '_')
    .replace(/^\.+/, '')
    .slice(-MAX_NAME_LENGTH)
    .trim();
}
