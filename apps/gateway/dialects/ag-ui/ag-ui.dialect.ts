import { toRoutes } from '../../http/routes.js';
import type { Dialect } from '../host/dialect.js';
import { NamedConversations } from '../identity/named-conversations.js';
import { agUi } from './ag-ui.js';
import { RunController } from './run.controller.js';
import { Runs } from './runs.js';

export const agUiDialect: Dialect = {
  ...agUi,
  open(gateway) {
    const {
      bodies,
      time,
      dialectTurns: turns,
      turnReader: reader,
      answerCalls: answers,
      ownership,
    } = gateway;
    const named = new NamedConversations(gateway, agUi.name);
    const runs = new Runs({ turns, reader, answers, ownership, named });
    return { routes: toRoutes({ runs, bodies, time }, [RunController]) };
  },
};
