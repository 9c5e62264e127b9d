import { toRoutes } from '../../http/routes.js';
import type { Dialect } from '../host/dialect.js';
import { NamedConversations } from '../identity/named-conversations.js';
import { createUnnamedTurns } from '../identity/unnamed-turns.js';
import { ArtifactChat } from './artifact-chat.js';
import { chatArtifacts } from './chat-artifacts.js';
import { ArtifactChatController } from './chat.controller.js';
import { graphReader } from './knowledge-graph.js';
import { SurroundingsController } from './surroundings.controller.js';
import { Surroundings } from './surroundings.js';

export const chatArtifactsDialect: Dialect = {
  ...chatArtifacts,
  open(gateway) {
    const { dialectTurns: turns, turnReader, artifacts, offeredTools, offeredModels, bodies, time } = gateway;
    const unnamed = createUnnamedTurns(gateway, chatArtifacts.name);
    const named = new NamedConversations(gateway, chatArtifacts.name);
    const surroundings = new Surroundings(offeredTools, offeredModels);
    const mergeGraphs = (texts: readonly string[], userId: string) =>
      bodies.readTexts(texts, graphReader, userId);
    const modelOf = surroundings.modelOf.bind(surroundings);
    const chat = new ArtifactChat({ turns, unnamed, named, turnReader, artifacts, modelOf, mergeGraphs });
    const parts = { chat, surroundings, bodies, time };
    return { routes: toRoutes(parts, [ArtifactChatController, SurroundingsController]) };
  },
};
