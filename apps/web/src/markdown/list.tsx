import { memo, type ReactNode } from 'react';
import type { Token, Tokens } from 'marked';
import { isSameContext, type MarkdownContext } from './context.js';

interface ListProps {
  token: Tokens.List;
  direction: 'auto' | undefined;
  context: MarkdownContext;
  /** The blocks of one item. */
  render: (tokens: Token[], options: { isTight: boolean }) => ReactNode;
}

/** Only the last item of a list that grows is rendered again. */
export function List({ token: { ordered, start, items, loose }, direction, context, render }: ListProps) {
  const content = items.map((item, index) => (
    <Item key={index} item={item} isLoose={loose} context={context} render={render} />
  ));
  if (!ordered) return <ul dir={direction}>{content}</ul>;
  return (
    <ol dir={direction} start={start === '' ? undefined : start}>
      {content}
    </ol>
  );
}

interface ItemProps extends Pick<ListProps, 'context' | 'render'> {
  item: Tokens.ListItem;
  isLoose: boolean;
}

const Item = memo(
  function Item({ item: { task, checked, tokens }, isLoose, render }: ItemProps) {
    return (
      <li>
        {task && (
          <input
            type="checkbox"
            disabled
            checked={checked === true}
            aria-label={checked ? 'Done' : 'To do'}
          />
        )}
        {render(
          tokens.filter(({ type }) => type !== 'space'),
          { isTight: !isLoose },
        )}
      </li>
    );
  },
  (before, now) =>
    before.item.raw === now.item.raw &&
    before.isLoose === now.isLoose &&
    isSameContext(before.context, now.context),
);
