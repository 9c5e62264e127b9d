import { memo } from 'react';
import type { Tokens } from 'marked';
import { isSameContext, type MarkdownContext } from './context.js';
import { Inline } from './inline.js';

interface TableProps {
  token: Tokens.Table;
  direction: 'auto' | undefined;
  context: MarkdownContext;
}

/** Only the last row of a table that grows is rendered again. */
export function Table({ token: { header, rows }, direction, context }: TableProps) {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label="Table">
      <table dir={direction}>
        <thead>
          <Row cells={header} context={context} />
        </thead>
        <tbody>
          {rows.map((cells, index) => (
            <Row key={index} cells={cells} context={context} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  cells: Tokens.TableCell[];
  context: MarkdownContext;
}

const Row = memo(
  function Row({ cells, context }: RowProps) {
    return (
      <tr>
        {cells.map(({ text, align, header }, index) => {
          const Cell = header ? 'th' : 'td';
          return (
            <Cell key={index} data-align={align ?? undefined}>
              <Inline text={text} context={context} />
            </Cell>
          );
        })}
      </tr>
    );
  },
  (before, now) => isSameRow(before.cells, now.cells) && isSameContext(before.context, now.context),
);

function isSameRow(a: Tokens.TableCell[], b: Tokens.TableCell[]): boolean {
  return (
    a.length === b.length && a.every(({ text, align }, i) => text === b[i]!.text && align === b[i]!.align)
  );
}
