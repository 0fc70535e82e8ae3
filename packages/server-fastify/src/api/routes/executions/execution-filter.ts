import { type ExecutionFilter, InvalidInputError, type JsonObject, type JsonValue } from '@halyard/contracts';
import { type Caller, identify } from '../../../access/identity.ts';
import type { Services } from '../../services.ts';
import { toTime } from '../common-schemas.ts';
import type { ExecutionQuery } from './schemas.ts';

/** @throws InvalidInputError for an invalid timestamp or metadata filter. */
export function toExecutionFilter(
  query: ExecutionQuery,
  caller: Caller,
  { targets }: Pick<Services, 'targets'>,
): ExecutionFilter {
  const { after, from, limit, offset, parentExecutionId = null, quarantined, status, to, workflowId } = query;
  const { userId } = identify(caller, query);
  const metadata = toMetadata(query);
  const uncovered = parentExecutionId === null ? targets.uncoveredWorkflows(caller) : [];
  const internal = workflowId === undefined ? targets.frameworkWorkflows : [];
  const hidden = [...targets.hiddenWorkflows(caller), ...uncovered, ...internal];
  return {
    parentExecutionId,
    limit,
    offset,
    ...(after !== undefined && { after }),
    ...(workflowId !== undefined && { workflowId }),
    ...(hidden.length > 0 && { exceptWorkflowIds: hidden }),
    ...(status !== undefined && { status }),
    ...(quarantined === true && { isQuarantined: true }),
    ...(userId !== undefined && { userId }),
    ...(from !== undefined && { from: toTime('query/from', from) }),
    ...(to !== undefined && { to: toTime('query/to', to) }),
    ...(metadata !== undefined && { metadata }),
  };
}

const fieldPrefix = 'metadata.';

function toMetadata(query: ExecutionQuery): JsonObject | undefined {
  const whole = query.metadata === undefined ? {} : toObject(query.metadata);
  const fields = Object.entries(query)
    .filter(([name]) => name.startsWith(fieldPrefix))
    .map(([name, value]): [string, JsonValue] => [name.slice(fieldPrefix.length), readValue(name, value)]);
  for (const [key] of fields) {
    if (key === '') throw new InvalidInputError('query/metadata. must name a key');
    if (Object.hasOwn(whole, key)) throw new InvalidInputError(`query/metadata.${key} is in query/metadata too`);
  }
  const metadata = Object.fromEntries([...Object.entries(whole), ...fields]);
  return Object.keys(metadata).length === 0 ? undefined : metadata;
}

function toObject(text: string): JsonObject {
  const value = parsed(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new InvalidInputError('query/metadata must be a JSON object');
}

function readValue(name: string, value: unknown): JsonValue {
  if (typeof value !== 'string') throw new InvalidInputError(`query/${name} must be given once`);
  const json = parsed(value);
  return json === undefined ? value : json;
}

/** Undefined if the text is not JSON. */
function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
