import { lazy, Suspense } from 'react';
import { Boundary } from '../frame/boundary.js';

const load = () => import('./rendered-markdown.js');
const RenderedMarkdown = lazy(load);

/** Fetches what renders Markdown, for an answer that comes. A failure shows when it is needed. */
export function prepareMarkdown(): void {
  load().catch(() => undefined);
}

/** Markdown without raw HTML; as it was written until what renders it is there, or where it cannot be had. */
export function Markdown({ text }: { text: string }) {
  const plain = <p className="plain">{text}</p>;
  return (
    <Boundary of={text} instead={() => plain}>
      <Suspense fallback={plain}>
        <RenderedMarkdown text={text} />
      </Suspense>
    </Boundary>
  );
}
