import type { components } from '../../api/schema.ts';
import { toSince, type TimeRange } from '../../ui/search-params.ts';

type Status = components['schemas']['ExecutionStatus'];
/** The API's filter, for the list, its counts and bulk operations. */
export type ApiFilter = Omit<components['schemas']['BulkFilter'], 'ids'>;

/** The state of the list in the address. */
export interface ExecutionSearch {
  readonly workflowId?: string;
  readonly status?: string;
  readonly quarantined?: string;
  readonly userId?: string;
  readonly metadata?: string;
  readonly range?: TimeRange;
}

/** Converts the state of the list. Omits text that is no filter of metadata. */
export function toFilter(search: ExecutionSearch): ApiFilter {
  const { quarantined, range, status, userId, workflowId } = search;
  const metadata = parseMetadata(search.metadata);
  return {
    ...(workflowId !== undefined && { workflowId }),
    ...(status !== undefined && { status: status as Status }),
    ...(quarantined === 'true' && { quarantined: true as const }),
    ...(userId !== undefined && { userId }),
    ...(metadata !== undefined && { metadata }),
    ...toSince(range),
  };
}

/** The query of the list of executions. */
export function toQuery(search: ExecutionSearch): Readonly<Record<string, string | boolean>> {
  const { metadata, ...rest } = toFilter(search);
  return { ...rest, ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }) };
}

/** `tenant=acme, isTest=true`, or a JSON object. Undefined: neither. */
export function parseMetadata(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  if (text.trim().startsWith('{')) {
    const value = parsed(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  }
  const pairs = text.split(',').map((pair) => pair.trim().split('='));
  if (pairs.some(([name = '', ...rest]) => name === '' || rest.length === 0)) return undefined;
  return Object.fromEntries(
    pairs.map(([name = '', ...rest]): [string, unknown] => {
      const value = rest.join('=').trim();
      return [name.trim(), parsed(value) ?? value];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The state as the console names it: a quarantined execution is `suspended` in the API. */
export function stateOf({ quarantinedAt, status }: { status: string; quarantinedAt?: string }): string {
  return quarantinedAt === undefined ? status : 'quarantined';
}
