import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';

export const pieces = 30;
export const pieceDelayMs = 200;

/** The answer, which the agent streams piece by piece for six seconds. */
export const wholeReply: string = Array.from({ length: pieces }, (_, index) => `word-${index} `).join('');

/** An agent that answers slowly and continues when its client disconnects. */
export const storyteller: Agent = new Agent({
  id: 'storyteller',
  resumable: true,
  durable: false,
  model: scriptedModel({ text: Array.from({ length: pieces }, (_, index) => `word-${index} `), pieceDelayMs }),
});
