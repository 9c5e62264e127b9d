import { useEffect, useState, type MouseEvent } from 'react';
import type { ArtifactReference } from '#contracts';
import { HttpError, artifactPath, readArtifact } from '../connection/http.js';
import { readToken } from '../connection/token.js';
import { formatBytes } from '../format/bytes.js';

/** Only content that the server has checked has one of these types. */
const PICTURE_TYPE = /^image\/(png|jpeg|gif|webp)$/;
/** A larger picture is a link, because it would be loaded with everything else that is opened. */
const MAX_SHOWN_BYTES = 4_000_000;

/** The artifacts of a call: pictures in place, everything else to open or save. */
export function Artifacts({ artifacts }: { artifacts: ArtifactReference[] }) {
  const pictures = artifacts.filter(isPicture);
  const files = artifacts.filter((artifact) => !isPicture(artifact));
  return (
    <section className="artifacts" aria-label="Output">
      {pictures.map((artifact) => (
        <Picture key={artifact.id} artifact={artifact} />
      ))}
      {files.map((artifact) => (
        <p key={artifact.id} className="artifact-file">
          <ArtifactLink artifact={artifact}>
            {artifact.whole ? 'The whole result' : labelOf(artifact)}
          </ArtifactLink>{' '}
          <span className="quiet">
            {describe(artifact)}
            {artifact.whole && '. The model was given its two ends.'}
          </span>
        </p>
      ))}
    </section>
  );
}

/** Opens in a new tab. A user who signed in with a token saves the file, because a link cannot carry a token. */
function ArtifactLink({ artifact, children }: { artifact: ArtifactReference; children: string }) {
  const [problem, setProblem] = useState<string>();
  const path = artifactPath(artifact.id);
  const onClick = (event: MouseEvent) => {
    if (readToken() === null) return;
    event.preventDefault();
    readArtifact(artifact.id).then(
      (blob) => save(blob, labelOf(artifact)),
      (error: unknown) => setProblem(reasonOf(error)),
    );
  };
  return (
    <>
      <a href={path} target="_blank" rel="noopener" onClick={onClick}>
        {children}
      </a>
      {problem && <span role="alert"> {problem}</span>}
    </>
  );
}

function Picture({ artifact }: { artifact: ArtifactReference }) {
  const [address, setAddress] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const { id } = artifact;
  useEffect(() => {
    let isWanted = true;
    let made: string | undefined;
    readArtifact(id).then(
      (blob) => {
        if (!isWanted) return;
        made = URL.createObjectURL(blob);
        setAddress(made);
      },
      (error: unknown) => setProblem(reasonOf(error)),
    );
    return () => {
      isWanted = false;
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [id]);
  return (
    <figure className="artifact-picture">
      {address !== undefined && <img src={address} alt={labelOf(artifact)} />}
      <figcaption>
        <ArtifactLink artifact={artifact}>{labelOf(artifact)}</ArtifactLink>{' '}
        <span className="quiet">{describe(artifact)}</span>
        {problem && <span role="alert"> {problem}</span>}
      </figcaption>
    </figure>
  );
}

function isPicture({ content_type, size }: ArtifactReference): boolean {
  return PICTURE_TYPE.test(content_type) && size <= MAX_SHOWN_BYTES;
}

function labelOf({ name, content_type }: ArtifactReference): string {
  return name ?? (content_type.startsWith('image/') ? 'Picture' : 'File');
}

function describe({ content_type, size }: ArtifactReference): string {
  return `${content_type}, ${formatBytes(size)}`;
}

function reasonOf(error: unknown): string {
  return error instanceof HttpError ? error.message : 'It could not be read.';
}

/** Saved, not opened: an object URL has the origin of this page. */
function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
