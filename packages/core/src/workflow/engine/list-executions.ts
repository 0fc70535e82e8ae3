import {
  type Execution,
  type ExecutionFilter,
  type ExecutionPage,
  type ExecutionStatus,
  type Executions,
  InvalidInputError,
  type JsonObject,
  type OptionNames,
  type Owner,
} from '@halyard/contracts';
import { acceptJson } from './accept-json.ts';

const defaultLimit = 50;
const maxLimit = 200;
const maxOffset = 100_000;
const defaultMaxBytes = 4 * 1024 * 1024;

/**
 * Which executions a list contains, newest first. All conditions must match. Times are in
 * milliseconds since the epoch.
 */
export interface ListOptions extends Omit<ExecutionFilter, 'maxTotal' | 'parentExecutionId' | 'limit' | 'offset'> {
  /**
   * Whose executions: of one user, or of `anyone`. Never a default, so that no list contains those
   * of others by mistake.
   */
  readonly owner: Owner;
  /** Sub-workflows of this execution. Default: null, only executions without a parent. */
  readonly parentExecutionId?: string | null | undefined;
  /**
   * The id of the last execution of the previous page: the list continues with the one before it.
   * Its cost does not grow, and new executions shift nothing. The other conditions must be those of
   * the previous page.
   */
  readonly after?: string | undefined;
  /** How many executions, at most: 1 to 200. Default: 50. */
  readonly limit?: number | undefined;
  /** How many are left out at the start: 0 to 100 000. Default: 0. Prefer `after`. */
  readonly offset?: number | undefined;
  /**
   * How large the page may be, in bytes of JSON. Its first execution is returned even if it is
   * larger. Default: 4 MiB.
   */
  readonly maxBytes?: number | undefined;
}

/** A page of a list. */
export type ListedExecutions = Omit<ExecutionPage, 'total'>;

const names: OptionNames<ListOptions> = {
  after: true,
  exceptWorkflowIds: true,
  from: true,
  ids: true,
  isQuarantined: true,
  limit: true,
  maxBytes: true,
  metadata: true,
  offset: true,
  owner: true,
  parentExecutionId: true,
  status: true,
  to: true,
  userId: true,
  workflowId: true,
};

const statuses: Readonly<Record<ExecutionStatus, true>> = {
  cancelled: true,
  completed: true,
  error: true,
  running: true,
  suspended: true,
};

/**
 * A page of executions, of `GET /workflows/executions` and of the runtime.
 *
 * @param options `at`: begins the names of fields in errors. `isHidden`: executions that count as
 * unknown where `after` and `parentExecutionId` name them.
 * @throws InvalidInputError
 */
export async function listExecutions(
  store: Pick<Executions, 'find' | 'list'>,
  listed: ListOptions,
  {
    at = '',
    isHidden = () => false,
  }: { readonly at?: string; readonly isHidden?: (execution: Execution) => boolean | Promise<boolean> } = {},
): Promise<ListedExecutions> {
  const { owner, ...filter } = accept(listed, at);
  const isKnown = async (id: string): Promise<boolean> => {
    const execution = await store.find(owner, id);
    return execution !== undefined && !(await isHidden(execution));
  };
  const { after, parentExecutionId } = filter;
  if (parentExecutionId !== null && !(await isKnown(parentExecutionId))) return { executions: [], hasMore: false };
  if (after !== undefined && !(await isKnown(after)))
    throw new InvalidInputError(`${at}after names no execution: ${after}`);
  // Counting all takes longer than reading a page.
  const { executions, hasMore } = await store.list(owner, { ...filter, maxTotal: 0 });
  return { executions, hasMore };
}

/** @throws InvalidInputError */
function accept(options: ListOptions, at: string): ExecutionFilter & { readonly owner: Owner } {
  const given = withoutUndefined(options);
  const fields: Readonly<Record<string, unknown>> = { ...given };
  const refuse = (name: string, rule: string): never => {
    throw new InvalidInputError(`${at}${name} ${rule}`);
  };
  for (const name of Object.keys(given)) if (!Object.hasOwn(names, name)) refuse(name, 'is not a known field');
  const { metadata, owner, status } = fields;
  if (!isOwner(owner))
    throw new InvalidInputError(`${at}owner must be 'anyone', or an object with the id of a user: { user }`);
  for (const name of ['after', 'userId', 'workflowId'])
    if (Object.hasOwn(fields, name) && typeof fields[name] !== 'string') refuse(name, 'must be a text');
  const parent = fields['parentExecutionId'] ?? null;
  if (parent !== null && typeof parent !== 'string') refuse('parentExecutionId', 'must be a text or null');
  for (const name of ['exceptWorkflowIds', 'ids'])
    if (Object.hasOwn(fields, name) && !isListOfTexts(fields[name])) refuse(name, 'must be a list of texts');
  if (status !== undefined && !(typeof status === 'string' && Object.hasOwn(statuses, status)))
    refuse('status', `must be one of ${Object.keys(statuses).join(', ')}`);
  if (Object.hasOwn(fields, 'isQuarantined') && fields['isQuarantined'] !== true)
    refuse('isQuarantined', 'must be true');
  for (const name of ['from', 'to'])
    if (Object.hasOwn(fields, name) && !Number.isFinite(fields[name])) refuse(name, 'must be a time in milliseconds');
  const { limit = defaultLimit, maxBytes = defaultMaxBytes, offset = 0, ...rest } = given;
  for (const [name, value, min, max] of [
    ['limit', limit, 1, maxLimit],
    ['offset', offset, 0, maxOffset],
    ['maxBytes', maxBytes, 1, Number.MAX_SAFE_INTEGER],
  ] as const)
    if (!(Number.isInteger(value) && value >= min && value <= max))
      refuse(name, `must be a whole number, ${min} to ${max}`);
  return {
    ...rest,
    owner,
    parentExecutionId: given.parentExecutionId ?? null,
    limit,
    offset,
    maxBytes,
    ...(metadata !== undefined && { metadata: acceptMetadata(metadata, `${at}metadata`) }),
  };
}

/** Callers without a compiler may set an option to undefined, or pass none. */
function withoutUndefined(options: ListOptions): Partial<ListOptions> {
  return Object.fromEntries(
    Object.entries({ ...options }).filter(([, value]) => value !== undefined),
  ) as Partial<ListOptions>;
}

function isOwner(owner: unknown): owner is Owner {
  return owner === 'anyone' || (isRecord(owner) && typeof owner['user'] === 'string');
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** @throws InvalidInputError */
function acceptMetadata(metadata: unknown, name: string): JsonObject {
  const json = acceptJson(metadata, `${name} is`);
  if (isRecord(json)) return json;
  throw new InvalidInputError(`${name} must be an object`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
