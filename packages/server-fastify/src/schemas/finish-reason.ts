import { type Static, Type } from '@sinclair/typebox';

/** Why a step or a run ended. `tool-calls`: it waits for an approval, or for a tool that the client runs. */
export const FinishReason = Type.Unsafe<'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'>({
  $id: 'FinishReason',
  type: 'string',
  enum: ['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other'],
});
export type FinishReason = Static<typeof FinishReason>;
