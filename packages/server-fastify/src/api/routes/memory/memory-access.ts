import { InvalidInputError, isHalyardError, type Owner } from '@halyard/contracts';
import type { Memory } from '@halyard/core';
import { type Caller, ownerNamed, ownerForCaller } from '../../../access/identity.ts';
import type { Services } from '../../services.ts';
import type { MemoryQuery } from './schemas.ts';

/** The memory and the owner of a request. */
export interface MemoryAccess {
  readonly memory: Memory;
  /**
   * The agent that the memory belongs to, if the request names it or it is the only one with its
   * own memory.
   */
  readonly agentId: string | undefined;
  /** The verified user, else the user that the request names, else anyone. */
  readonly owner: Owner;
  readonly caller: Caller;
}

/**
 * Determines the memory and the owner of a request.
 *
 * @param sent the parts of the request that may name them. The first part that does counts.
 * @throws HalyardError (`USER_MISMATCH`) for a verified user who names another user; NotFoundError
 * for an unknown agent; InvalidInputError if there is no memory or several apply.
 */
export function accessMemory(
  caller: Caller,
  sent: readonly (MemoryQuery | null)[],
  { memories }: Pick<Services, 'memories'>,
): MemoryAccess {
  // All parts are checked, not only the first.
  const owners = sent.map((part) => ownerNamed(caller, part?.userId));
  const owner = owners.find((named) => named !== 'anyone') ?? 'anyone';
  const agentId = sent.find((part) => part?.agentId !== undefined)?.agentId;
  return { ...memories.choose(agentId, caller), owner, caller };
}

/**
 * Runs `act` on a conversation of the owner. The conversation of another user is not found. Only
 * callers who may access every user's data get an error about the wrong user.
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
    const reach = ownerForCaller(caller);
    if (reach !== 'anyone' || owner === 'anyone' || !isHalyardError(error) || error.kind !== 'not-found') throw error;
    await memory.get(reach, id);
    throw new InvalidInputError(`userId must be the user of conversation ${id}`, { cause: error });
  }
}

/**
 * The user of a request that must have one. @throws InvalidInputError if no user is verified or
 * named.
 */
export function requiredUser(owner: Owner): string {
  if (owner === 'anyone') throw new InvalidInputError("body must have required property 'userId'");
  return owner.user;
}
