import { setTimeout as delay } from 'node:timers/promises';
import { andThen, createWorkflow } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { approvals } from './linear-model.ts';

/** What flows through it: of each answer that was taken its token, in their order. */
const Taken = Type.Object({ tokens: Type.Array(Type.String()) });
const Answer = Type.Object({ token: Type.String() });

/** Asks as often as the model says, and tells with each question which answers it took. */
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
