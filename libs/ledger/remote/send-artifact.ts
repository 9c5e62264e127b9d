import type { Artifact, CallTicket } from '#contracts';
import type { LedgerLine } from './ledger-line.js';

/** Bytes of one part. */
const PART_BYTES = 512 * 1024;

/**
 * Sends an artifact in parts, each acknowledged, to one orchestrator. Another one has none of the parts before: then the
 * first one is sent again.
 */
export async function sendArtifact(
  line: LedgerLine,
  { call, artifact, first }: { call: CallTicket; artifact: Artifact; first: string },
): Promise<void> {
  const { content, at: _at, user_id: _user, ...about } = artifact;
  const bytes = Buffer.from(content, 'base64');
  const parts = Math.max(1, Math.ceil(bytes.byteLength / PART_BYTES));
  let server = first;
  for (let part = 0; part < parts;) {
    const told = {
      call,
      artifact: about,
      part,
      parts,
      content: bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES).toString('base64'),
    };
    const answer = await line.ask('ledger.artifact', told, { purpose: 'bulk', first: server });
    server = answer.server;
    part = answer.artifact?.next ?? part + 1;
  }
}
