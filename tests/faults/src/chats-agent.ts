import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';

export const pieces = 30;
export const pieceDelayMs = 200;

/** What it says, piece by piece, for six seconds. */
export const wholeAnswer: string = Array.from({ length: pieces }, (_, index) => `word-${index} `).join('');

/** Speaks slowly, and goes on without whoever asked. */
export const storyteller: Agent = new Agent({
  id: 'storyteller',
  resumable: true,
  model: scriptedModel({ text: Array.from({ length: pieces }, (_, index) => `word-${index} `), pieceDelayMs }),
});
