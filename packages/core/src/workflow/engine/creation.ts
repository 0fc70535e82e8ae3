import type { Execution, Ids } from '@halyard/contracts';

/**
 * An execution that is to be created: its id, and what tells it from all others that ever get this
 * id.
 */
export type Creation = Pick<Execution, 'id' | 'creationId'>;

/** No id that a request chooses contains it. */
const separator = '~';

/** @param id the id that the caller has chosen; undefined: a new one, which is unique by itself. */
export function newCreation(id: string | undefined, ids: Ids): Creation {
  return id === undefined ? generatedCreation(ids.next()) : { id, creationId: `${id}${separator}${ids.next()}` };
}

/** @param id an id that no other execution ever gets. */
export function generatedCreation(id: string): Creation {
  return { id, creationId: id };
}

/**
 * The beginning of the idempotency keys of an execution. A chosen id can be used again after a
 * deletion, and would then give the keys of the deleted execution.
 *
 * The creation ids of earlier releases do not begin with a chosen id. Their executions keep the
 * keys with which they began.
 */
export function toKeyPrefix(creation: Creation): string {
  return hasChosenId(creation) ? creation.creationId : creation.id;
}

/**
 * Whether a caller has chosen the id. Of executions of earlier releases that is not recorded:
 * false.
 */
export function hasChosenId({ creationId, id }: Creation): boolean {
  return creationId.startsWith(`${id}${separator}`);
}
