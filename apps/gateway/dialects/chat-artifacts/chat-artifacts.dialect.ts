import { Bodies } from '../../bodies/bodies.js';
import type { Gateway } from '../../gateway.js';
import type { DialectParts } from '../dialect-parts.module.js';
import { createUnnamedTurns } from '../unnamed-turns.js';
import { ArtifactChat } from './artifact-chat.js';
import { NamedConversations } from '../named-conversations.js';
import { chatArtifacts } from './chat-artifacts.js';
import { ArtifactChatController } from './chat.controller.js';
import { SurroundingsController } from './surroundings.controller.js';
import { Surroundings } from './surroundings.js';

export function chatArtifactsParts(gateway: Gateway): DialectParts {
  const { dialectTurns: turns, turnReader, artifacts, offeredTools, offeredModels, bodies } = gateway;
  const unnamed = createUnnamedTurns(gateway, chatArtifacts.name);
  const named = new NamedConversations(gateway, chatArtifacts.name);
  const surroundings = new Surroundings(offeredTools, offeredModels);
  const mergeGraphs = bodies.mergeGraphs.bind(bodies);
  const modelOf = surroundings.modelOf.bind(surroundings);
  return {
    controllers: [ArtifactChatController, SurroundingsController],
    providers: [
      {
        provide: ArtifactChat,
        useValue: new ArtifactChat({ turns, unnamed, named, turnReader, artifacts, modelOf, mergeGraphs }),
      },
      { provide: Bodies, useValue: bodies },
      { provide: Surroundings, useValue: surroundings },
    ],
  };
}
