import { InvalidInputError, isHalyardError, type Owner } from '@halyard/contracts';
import type { Memory } from '@halyard/core';
import type { Caller } from '../../access/caller.ts';
import { ownerNamed, ownerOf } from '../../access/owner.ts';
import type { Services } from '../../define/services.ts';
import type { MemoryQuery } from '../../schemas/memory-query.ts';

/** What a request to the memory is about. */
export interface MemoryAccess {
  readonly memory: Memory;
  /** Whose memory it is, where an agent was asked for, or is the only one that has one. */
  readonly agentId: string | undefined;
  /** In every query: the verified user, else the one that is named, else anyone. */
  readonly owner: Owner;
  readonly caller: Caller;
}

/**
 * Which memory a request means, and whose data in it.
 *
 * @param sent where the request may say so; what says it first counts.
 * @throws HalyardError (`USER_MISMATCH`) for a verified user who names another; NotFoundError for an unknown agent; InvalidInputError where no
 * memory is meant.
 */
export function accessMemory(
  caller: Caller,
  sent: readonly (MemoryQuery | null)[],
  { memories }: Pick<Services, 'memories'>,
): MemoryAccess {
  // All are checked, whichever counts.
  const owners = sent.map((part) => ownerNamed(caller, part?.userId));
  const owner = owners.find((named) => named !== 'anyone') ?? 'anyone';
  const agentId = sent.find((part) => part?.agentId !== undefined)?.agentId;
  return { ...memories.choose(agentId), owner, caller };
}

/**
 * Does something with a conversation of the owner's. One that is not theirs is answered like one that is not there; but where anybody
 * may know of it, the request is told that it names the wrong user.
 *
 * @throws NotFoundError; InvalidInputError.
 */
export async function onConversation<Result>(
  { caller, memory, owner }: Pick<MemoryAccess, 'caller' | 'memory' | 'owner'>,
  id: string,
  act: (owner: Owner) => Promise<Result>,
): Promise<Result> {
  try {
    return await act(owner);
  } catch (error) {
    const reach = ownerOf(caller);
    if (reach !== 'anyone' || owner === 'anyone' || !isHalyardError(error) || error.kind !== 'not-found') throw error;
    await memory.get(reach, id);
    throw new InvalidInputError(`userId must be the user of conversation ${id}`, { cause: error });
  }
}

/** The user that a request must name, unless one is verified. @throws InvalidInputError where nobody is named. */
export function requiredUser(owner: Owner): string {
  if (owner === 'anyone') throw new InvalidInputError("body must have required property 'userId'");
  return owner.user;
}
