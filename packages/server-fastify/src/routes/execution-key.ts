import type { ExecutionKey } from '@halyard/core';
import type { Caller } from '../access/caller.ts';
import { ownerOf } from '../access/owner.ts';
import type { ExecutionParams } from '../schemas/execution-params.ts';

/** The execution that a request is about: only of that workflow, and only one that the caller may touch. */
export function keyOf({ caller, params }: { readonly params: ExecutionParams; readonly caller: Caller }): ExecutionKey {
  return { owner: ownerOf(caller), workflowId: params.id, executionId: params.executionId };
}
