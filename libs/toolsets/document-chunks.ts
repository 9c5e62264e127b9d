const MAX_CHUNK_LENGTH = 800;
/** So that a chunk's number fits into its rowid. */
const MAX_CHUNKS = 50_000;

export interface Chunk {
  /** Headings above the text, outermost first. */
  title: string;
  body: string;
}

/** A Markdown or plain text document in pieces of up to 800 characters, cut at headings, paragraphs, words. */
export function chunkDocument(document: string): Chunk[] {
  const chunks: Chunk[] = [];
  const headings: string[] = [];
  let body = '';
  const flush = () => {
    if (body.trim() !== '') chunks.push({ title: headings.filter(Boolean).join(' › '), body: body.trim() });
    body = '';
  };
  for (const paragraph of document.replace(/\r\n?/g, '\n').split(/\n{2,}|\n(?=#{1,6} )/)) {
    const [, marks, title = '', below] = /^(#{1,6}) +([^\n]*)(?:\n|$)([^]*)/.exec(paragraph) ?? [];
    if (marks) {
      flush();
      headings.length = Math.min(headings.length, marks.length - 1);
      headings[marks.length - 1] = title.trim();
    }
    const text = below ?? paragraph;
    if (marks && text.trim() === '') continue;
    for (const piece of cutLong(text)) {
      if (body.length + piece.length > MAX_CHUNK_LENGTH) flush();
      body += `${piece}\n\n`;
    }
  }
  flush();
  return chunks.slice(0, MAX_CHUNKS);
}

function cutLong(paragraph: string): string[] {
  const pieces: string[] = [];
  let rest = paragraph;
  while (rest.length > MAX_CHUNK_LENGTH) {
    const space = rest.lastIndexOf(' ', MAX_CHUNK_LENGTH);
    const end = space > MAX_CHUNK_LENGTH / 2 ? space : MAX_CHUNK_LENGTH;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...pieces, rest];
}
