import { ConversationMenu } from './conversation-menu.js';
import { IconButton } from './icon-button.js';

interface HeaderProps {
  conversationId: string | undefined;
  title: string | undefined;
  isSidebarShown: boolean;
  isPanelShown: boolean;
  onShowSidebar: () => void;
  onTogglePanel: () => void;
}

export function Header(props: HeaderProps) {
  const { conversationId, title, isSidebarShown, isPanelShown } = props;
  return (
    <header className={`bar main-bar${title === undefined ? ' is-bare' : ''}`}>
      {!isSidebarShown && <IconButton icon="menu" label="Show conversations" onClick={props.onShowSidebar} />}
      {title !== undefined && (
        <h1 className="title cut" title={title}>
          {title}
        </h1>
      )}
      <span className="grow" />
      {conversationId !== undefined && title !== undefined && (
        <ConversationMenu id={conversationId} title={title} />
      )}
      <IconButton
        icon="panel"
        label="Tools and usage"
        title="Tools and usage (Alt T)"
        aria-pressed={isPanelShown}
        onClick={props.onTogglePanel}
      />
    </header>
  );
}
