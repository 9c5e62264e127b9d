import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/sidebar.css';
import './styles/thread.css';
import './styles/prose.css';
import './styles/aside.css';
import './styles/timeline.css';
import './styles/composer.css';
import './styles/panel.css';
import './styles/narrow.css';
import { StrictMode, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { OPS_PATH } from './conversation/route.js';
import { Boundary, FailedPart } from './frame/boundary.js';
import { startTheme } from './frame/theme.js';
import { SessionContext, startSession } from './session/session.js';

startTheme();
void createPage().then((page) => {
  createRoot(document.getElementById('page')!).render(
    <StrictMode>
      <Boundary of={page} instead={(again) => <FailedPart what="This page" again={again} />}>
        {page}
      </Boundary>
    </StrictMode>,
  );
});

async function createPage(): Promise<ReactNode> {
  // Loaded only here: people who chat do not pay for it.
  if (location.pathname.replace(/\/$/, '') === OPS_PATH)
    return (await import('./ops/start-ops.js')).startOps();
  return (
    <SessionContext value={startSession()}>
      <App />
    </SessionContext>
  );
}
