import { toRoutes } from '../../http/routes.js';
import type { Dialect } from '../host/dialect.js';
import { NamedConversations } from '../identity/named-conversations.js';
import { createUnnamedTurns } from '../identity/unnamed-turns.js';
import { ArtifactChat } from './artifact-chat.js';
import { chatArtifacts } from './chat-artifacts.js';
import { ArtifactChatController } from './chat.controller.js';
import { graphReader } from './knowledge-graph.js';
import { FrontEndListsController } from './front-end-lists.controller.js';
import { FrontEndLists } from './front-end-lists.js';

export const chatArtifactsDialect: Dialect = {
  ...chatArtifacts,
  open(gateway) {
    const { dialectTurns: turns, turnReader, artifacts, offeredTools, offeredModels, bodies, time } = gateway;
    const unnamed = createUnnamedTurns(gateway, chatArtifacts.name);
    const named = new NamedConversations(gateway, chatArtifacts.name);
    const lists = new FrontEndLists(offeredTools, offeredModels);
    const mergeGraphs = (texts: readonly string[], userId: string) =>
      bodies.readTexts(texts, graphReader, userId);
    const modelOf = lists.modelOf.bind(lists);
    const chat = new ArtifactChat({ turns, unnamed, named, turnReader, artifacts, modelOf, mergeGraphs });
    const parts = { chat, lists, bodies, time };
    return { routes: toRoutes(parts, [ArtifactChatController, FrontEndListsController]) };
  },
};
