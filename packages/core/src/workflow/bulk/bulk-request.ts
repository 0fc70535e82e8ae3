import {
  type ExecutionFilter,
  InvalidInputError,
  type JsonObject,
  type OptionNames,
  type Owner,
} from '@halyard/contracts';
import { acceptJson } from '../engine/accept-json.ts';
import { bulkWorkflowId } from './bulk-workflow-id.ts';

/** Which root executions. All conditions must match, as in lists of executions. */
export type BulkFilter = Omit<
  ExecutionFilter,
  'after' | 'approverKeys' | 'exceptWorkflowIds' | 'limit' | 'maxBytes' | 'maxTotal' | 'offset' | 'parentExecutionId'
>;

/** A request names no more executions than this: those are a `filter`. */
const maxBulkIds = 1_000;

/** The change of each execution. */
export type BulkAction =
  | { readonly operation: 'cancel'; readonly reason?: string | undefined }
  | { readonly operation: 'retry' }
  | {
      readonly operation: 'resume';
      /** The resume data of each execution. */
      readonly resumeData?: unknown;
      /**
       * Only executions that are suspended at this step are resumed. Default: each at its earliest
       * suspension.
       */
      readonly stepId?: string | undefined;
    }
  | {
      readonly operation: 'replay';
      /** The step at which the new executions start. */
      readonly stepId: string;
      /** The resume data of that step. */
      readonly resumeData?: unknown;
      /** Replaces the output of the top-level step before it. */
      readonly inputData?: unknown;
    };

export type BulkOperationName = BulkAction['operation'];

/**
 * A filter with at least one condition, or `all`, so that nobody changes all executions by mistake.
 */
export type BulkSelection =
  | { readonly filter: BulkFilter; readonly all?: undefined }
  | { readonly all: true; readonly filter?: undefined };

export type BulkRequest = BulkAction &
  BulkSelection & {
    /**
     * Up to 200 characters. A repeated request with the same id starts nothing, and returns the
     * first operation.
     */
    readonly requestId?: string | undefined;
  };

/** A request that was checked. It is JSON. */
export interface AcceptedBulkRequest {
  readonly action: BulkAction;
  readonly filter: BulkFilter;
}

/** The input of the execution that carries a bulk operation out. */
export interface BulkInput extends AcceptedBulkRequest {
  readonly owner: Owner;
  readonly resumedBy?: string | undefined;
  readonly onlyToQuestions?: boolean;
  readonly exceptUserId?: string;
  /** ISO 8601. */
  readonly startAt: string;
  /** How many matched at the start. */
  readonly matched: number;
}

const filterNames: OptionNames<BulkFilter> = {
  from: true,
  ids: true,
  isQuarantined: true,
  metadata: true,
  status: true,
  to: true,
  userId: true,
  workflowId: true,
};
const actionNames: Readonly<Record<BulkOperationName, readonly string[]>> = {
  cancel: ['reason'],
  retry: [],
  resume: ['resumeData', 'stepId'],
  replay: ['resumeData', 'stepId', 'inputData'],
};

/** @param at begins the names of fields in errors: `body/`. @throws InvalidInputError */
export function acceptBulkRequest(request: BulkRequest, at: string): AcceptedBulkRequest {
  const { requestId } = request;
  const action = acceptAction(request, at);
  const filter = acceptBulkFilter(request, at);
  if (requestId !== undefined && !isShortText(requestId))
    throw new InvalidInputError(`${at}requestId must have 1 to 200 characters`);
  return { action, filter };
}

/** @throws InvalidInputError */
export function acceptBulkFilter(selection: BulkSelection, at: string): BulkFilter {
  const { filter } = selection;
  const all: unknown = selection.all;
  const conditions = acceptConditions(filter ?? {}, at);
  const isEmpty = Object.keys(conditions).length === 0;
  if (all !== undefined && all !== true) throw new InvalidInputError(`${at}all must be true`);
  if (isEmpty && all === undefined)
    throw new InvalidInputError(`${at}filter must have a condition; to select every execution, send "all": true`);
  if (!isEmpty && all !== undefined)
    throw new InvalidInputError(`${at}all and ${at}filter exclude each other: send one of them`);
  return conditions;
}

function acceptAction(request: BulkAction, at: string): BulkAction {
  const allowed = Object.hasOwn(actionNames, request.operation) ? actionNames[request.operation] : undefined;
  if (allowed === undefined)
    throw new InvalidInputError(`${at}operation must be one of ${Object.keys(actionNames).join(', ')}`);
  const known = new Set([...allowed, 'operation', 'filter', 'all', 'requestId']);
  for (const [name, value] of Object.entries(request))
    if (!known.has(name) && value !== undefined)
      throw new InvalidInputError(`${at}${name} is not a field of the operation ${request.operation}`);
  const fields = Object.fromEntries(
    Object.entries(request)
      .filter(([name, value]) => allowed.includes(name) && value !== undefined)
      .map(([name, value]) => [name, acceptJson(value, `${at}${name} is`)]),
  );
  for (const name of ['stepId', 'reason'])
    if (Object.hasOwn(fields, name) && (typeof fields[name] !== 'string' || fields[name] === ''))
      throw new InvalidInputError(`${at}${name} must be a text`);
  if (request.operation === 'replay' && fields['stepId'] === undefined)
    throw new InvalidInputError(`${at}stepId is required for a replay: the step at which the new executions start`);
  // The fields were checked above.
  return { ...fields, operation: request.operation } as BulkAction;
}

function acceptConditions(filter: BulkFilter, at: string): BulkFilter {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  for (const [name] of given)
    if (!Object.hasOwn(filterNames, name)) throw new InvalidInputError(`${at}filter/${name} is not a known field`);
  const { from, ids, metadata, to, workflowId } = filter;
  const isQuarantined: unknown = filter.isQuarantined;
  for (const [name, time] of Object.entries({ from, to }))
    if (time !== undefined && !Number.isFinite(time))
      throw new InvalidInputError(`${at}filter/${name} must be a time in milliseconds`);
  if (ids !== undefined && !areIds(ids))
    throw new InvalidInputError(`${at}filter/ids must be a list of 1 to ${maxBulkIds} ids`);
  if (isQuarantined !== undefined && isQuarantined !== true)
    throw new InvalidInputError(`${at}filter/isQuarantined must be true`);
  if (workflowId === bulkWorkflowId)
    throw new InvalidInputError(`${at}filter/workflowId: a bulk operation cannot change bulk operations`);
  const fields = metadata === undefined ? {} : acceptMetadata(metadata, at);
  const { metadata: _, ...others } = Object.fromEntries(given) as BulkFilter;
  return Object.keys(fields).length === 0 ? others : { ...others, metadata: fields };
}

function acceptMetadata(metadata: JsonObject, at: string): JsonObject {
  const json = acceptJson(metadata, `${at}filter/metadata is`);
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new InvalidInputError(`${at}filter/metadata must be an object`);
  return json as JsonObject;
}

function areIds(ids: unknown): boolean {
  return Array.isArray(ids) && ids.length > 0 && ids.length <= maxBulkIds && ids.every((id) => typeof id === 'string');
}

function isShortText(value: unknown): boolean {
  return typeof value === 'string' && value.length >= 1 && value.length <= 200;
}
