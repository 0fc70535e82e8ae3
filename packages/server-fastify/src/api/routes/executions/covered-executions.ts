import { type Execution, InvalidInputError } from '@halyard/contracts';
import { type Caller, limitsOfOperator } from '../../../access/identity.ts';
import type { Services } from '../../services.ts';
import { isHidden } from './hidden-executions.ts';

interface Page {
  readonly executions: readonly Execution[];
  readonly hasMore: boolean;
}

interface Position {
  readonly limit: number;
  readonly after?: string | undefined;
  readonly offset?: number | undefined;
}

/** How many executions are looked through for a console role that is limited. */
const lookedThrough = 10_000;
/** How many are read at once, at least: most may be of others. */
const leastRead = 200;

/**
 * A page of a list, without executions that the console role of an operator is not for. It may be
 * shorter than others.
 *
 * @param read reads a page. Only in the first one, `after` is that of the request.
 * @param atLeast how many it has, if there are so many.
 * @throws InvalidInputError for an `offset`, which would count the others.
 */
export async function coveredPage<Filter extends Position>(
  filter: Filter,
  caller: Caller,
  services: Pick<Services, 'storage' | 'targets'>,
  read: (filter: Filter, isFirst: boolean) => Promise<Page>,
  atLeast = 1,
): Promise<Page> {
  if (limitsOfOperator(caller) === undefined) return read(filter, true);
  if (filter.offset !== undefined && filter.offset > 0)
    throw new InvalidInputError('query/offset is not accepted with a limited console role: continue with `after`');
  const { limit } = filter;
  const found: Execution[] = [];
  let { after } = filter;
  for (let looked = 0; looked < lookedThrough;) {
    const { executions, hasMore } = await read(
      { ...filter, after, limit: Math.max(limit, leastRead) },
      after === filter.after,
    );
    const hidden = await Promise.all(executions.map((execution) => isHidden(execution, caller, services)));
    found.push(...executions.filter((_, index) => hidden[index] === false));
    if (found.length >= atLeast || !hasMore)
      return { executions: found.slice(0, limit), hasMore: hasMore || found.length > limit };
    looked += executions.length;
    after = executions.at(-1)?.id;
  }
  return { executions: found, hasMore: found.length > 0 };
}
