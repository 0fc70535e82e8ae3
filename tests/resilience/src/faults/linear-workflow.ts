import { setTimeout as delay } from 'node:timers/promises';
import { andThen, createWorkflow } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { approvals } from './linear-model.ts';

/** The data of the workflow: the tokens of its resumptions, in order. */
const Taken = Type.Object({ tokens: Type.Array(Type.String()) });
const Answer = Type.Object({ token: Type.String() });

/**
 * Suspends as often as the model expects. The data of each suspension contains the tokens so far.
 */
export const approvalsWorkflow = createWorkflow({ id: 'approvals', input: Taken, result: Taken, resumeSchema: Answer })
  .andThen({ id: 'first', execute: ({ data }) => data })
  .andDoUntil({
    id: 'rounds',
    step: andThen({
      id: 'ask',
      execute: async ({ data, resumeData, suspend }) => {
        await delay(5);
        return resumeData === undefined ? suspend('asks', data) : { tokens: [...data.tokens, resumeData.token] };
      },
    }),
    condition: ({ data }) => data.tokens.length >= approvals,
  })
  .andThen({ id: 'last', execute: ({ data }) => data });
