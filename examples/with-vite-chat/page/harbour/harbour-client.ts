import type { Client } from '@halyard/client';
import type { AgentMessage } from '@halyard/react';
import type { Harbour } from '../../src/server.ts';

export type { Harbour };

/** Only types of the server are imported: nothing of it reaches the page. */
export type HarbourClient = Client<Harbour>;

/** A message whose tool calls have the types of the agent's tools. */
export type HarbourMessage = AgentMessage<Harbour, 'harbour'>;
