import { IMAGE_TYPES, type Artifact } from '#contracts';
import { readImageHeader } from '#tools';

/** An artifact as a file that a browser may be given. */
export interface ArtifactFile {
  content: Buffer;
  headers: Record<string, string>;
}

const TEXT_TYPES = ['text/plain', 'application/json'];
/** Shown as plain text: a browser would render or run them. */
const TEXTUAL = /^text\/|^image\/svg|[/+](xml|javascript|ecmascript|yaml)$/;
/** Handed out under their own name, and never opened by the browser itself. */
const FILE_TYPES = /^(audio\/(mpeg|wav|x-wav|ogg|webm|mp4|flac|aac)|application\/(pdf|zip|gzip|x-tar))$/;
const UNKNOWN_TYPE = 'application/octet-stream';

/** Nothing in the file may run, load anything, or be framed, whatever its content. */
const NOTHING_ALLOWED = "default-src 'none'; sandbox; frame-ancestors 'none'";

export function artifactFile(artifact: Artifact): ArtifactFile {
  const content = Buffer.from(artifact.content, 'base64');
  const { type, isShown } = servedType(artifact.content_type, content);
  return {
    content,
    headers: {
      'Content-Type': type,
      'Content-Disposition': disposition(isShown ? 'inline' : 'attachment', artifact.name ?? artifact._id),
      'Content-Security-Policy': NOTHING_ALLOWED,
      'X-Content-Type-Options': 'nosniff',
      ETag: `"${artifact.hash}"`,
      'Accept-Ranges': 'bytes',
      // Its content never changes, but whether its reader may still have it does.
      'Cache-Control': 'private, no-cache',
    },
  };
}

/** For pictures the bytes decide: the stored type may be wrong. */
function servedType(claimed: string, content: Buffer): { type: string; isShown: boolean } {
  if ((IMAGE_TYPES as readonly string[]).includes(claimed)) {
    const found = readImageHeader(content)?.contentType;
    return found ? { type: found, isShown: true } : { type: UNKNOWN_TYPE, isShown: false };
  }
  if (TEXT_TYPES.includes(claimed)) return { type: `${claimed}; charset=utf-8`, isShown: true };
  if (TEXTUAL.test(claimed)) return { type: 'text/plain; charset=utf-8', isShown: true };
  return { type: FILE_TYPES.test(claimed) ? claimed : UNKNOWN_TYPE, isShown: false };
}

/** RFC 6266: a name for old readers, and the whole of it for the others. */
function disposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^A-Za-z0-9 ._-]/g, '_');
  const escaped = encodeURIComponent(wellFormed(name)).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${escaped}`;
}

/** Half a surrogate pair cannot be escaped. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
