import type { Execution, Ids } from '@halyard/contracts';

/** An execution that is to be created: its id, and what tells it from all others that ever get this id. */
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
