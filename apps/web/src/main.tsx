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
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { startTheme } from './frame/theme.js';
import { SessionContext, startSession } from './session/session.js';

startTheme();
createRoot(document.getElementById('page')!).render(
  <StrictMode>
    <SessionContext value={startSession()}>
      <App />
    </SessionContext>
  </StrictMode>,
);
