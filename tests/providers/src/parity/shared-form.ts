import { isRecord } from './plain.ts';

/**
 * The form in which both sides are compared. Only names differ between them, or values that are new
 * in each run; where content differs, both values stay, and the difference is in
 * `known-differences.ts`.
 */
export type SharedEvent = Readonly<Record<string, unknown>>;

/** The fields of a result, and of a step, in the names of the AI SDK. */
export const resultFields = [
  'text',
  'reasoningText',
  'reasoning',
  'files',
  'sources',
  'toolCalls',
  'toolResults',
  'finishReason',
  'warnings',
  'providerMetadata',
] as const;

/** A part of `fullStream` of the AI SDK. */
export function eventOfSdk(part: SharedEvent): SharedEvent {
  switch (part['type']) {
    case 'start':
    case 'start-step':
      // `request` and `warnings` are compared as requests and results.
      return { type: part['type'] };
    case 'finish-step':
      return {
        type: 'finish-step',
        finishReason: part['finishReason'],
        usage: usageOfSdk(part['usage']),
        providerMetadata: part['providerMetadata'],
      };
    case 'finish':
      return { type: 'finish', finishReason: part['finishReason'], usage: usageOfSdk(part['totalUsage']) };
    case 'text-delta':
    case 'reasoning-delta': {
      const { text, ...rest } = part;
      return { ...rest, delta: text };
    }
    case 'file':
    case 'reasoning-file':
      return { ...part, file: fileOf(part['file']) };
    case 'tool-error':
      return { ...callOf(part), error: textOf(part['error']) };
    case 'error':
      return { type: 'error', error: textOf(part['error']) };
    case 'abort':
      return { type: 'abort' };
    default:
      return callOf(part);
  }
}

/** An event of an agent. */
export function eventOfAgent(event: SharedEvent): SharedEvent {
  switch (event['type']) {
    case 'file':
    case 'reasoning-file': {
      const { url, mediaType, ...rest } = event;
      return { ...rest, file: fileOf({ url, mediaType }) };
    }
    case 'abort':
      return { type: 'abort' };
    default:
      return callOf(event);
  }
}

export function resultOfSdk(fields: SharedEvent): SharedEvent {
  const { steps, totalUsage } = fields;
  return {
    ...sharedResult(fields),
    usage: usageOfSdk(totalUsage),
    steps: listOf(steps).map((step) => ({ ...sharedResult(step), usage: usageOfSdk(step['usage']) })),
  };
}

export function resultOfAgent(fields: SharedEvent): SharedEvent {
  const { steps, usage } = fields;
  return {
    ...sharedResult(fields),
    usage,
    ...(steps !== undefined && {
      steps: listOf(steps).map((step) => ({ ...sharedResult(step), usage: step['usage'] })),
    }),
  };
}

/** The result of a run that must end in an object. */
export function objectOfSdk({ finishReason, output, totalUsage }: SharedEvent): SharedEvent {
  return { object: output, finishReason, usage: usageOfSdk(totalUsage) };
}

/**
 * How a run failed: whether by an abort, and with which status of the provider. Some providers
 * report errors as plain objects.
 */
export function failureOf(error: unknown): SharedEvent {
  let cause: unknown = error;
  while (cause instanceof Object) {
    const { name, code, statusCode, lastError, cause: next }: SharedEvent = namedFields(cause);
    if (name === 'AbortError' || code === 'ABORTED') return { failure: 'aborted' };
    if (statusCode !== undefined) return { failure: 'refused', status: statusCode };
    cause = lastError ?? next;
  }
  return { failure: 'failed' };
}

/** The fields of an error are not enumerable. */
function namedFields(error: object): SharedEvent {
  return Object.fromEntries(
    ['name', 'code', 'statusCode', 'lastError', 'cause'].map((name) => [name, Reflect.get(error, name)]),
  );
}

function sharedResult(fields: SharedEvent): SharedEvent {
  const shared = Object.fromEntries(resultFields.map((name) => [name, fields[name]]));
  return {
    ...shared,
    reasoning: listOf(fields['reasoning']).map((part) =>
      part['file'] === undefined ? part : { ...part, file: fileOf(part['file']) },
    ),
    files: fields['files'] === undefined ? undefined : listOf(fields['files']).map(fileOf),
    sources: fields['sources'] === undefined ? undefined : listOf(fields['sources']).map(withoutId),
    toolCalls: listOf(fields['toolCalls']).map(recordOf),
    toolResults: listOf(fields['toolResults']).map(recordOf),
  };
}

/** A call or a result in a list: the SDK repeats the `type`. */
function recordOf(record: SharedEvent): SharedEvent {
  const { type: _, ...rest } = callOf(record);
  return rest;
}

/** Marks of a call under one name. `false` is the same as a missing mark. */
function callOf(event: SharedEvent): SharedEvent {
  const { invalid, invalidInput, error, title, toolMetadata: __, ...rest } = event;
  const marks = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== false));
  if (event['type'] === 'source') return { ...withoutId(marks), ...(title !== undefined && { title }) };
  return {
    ...marks,
    ...(title !== undefined && { title }),
    ...((invalid === true || invalidInput === true) && { invalid: true }),
    ...(event['type'] === 'tool-call' || error === undefined ? {} : { error: textOf(error) }),
  };
}

/** The AI SDK creates the ids of sources. */
function withoutId({ id: _, ...rest }: SharedEvent): SharedEvent {
  return rest;
}

function fileOf(file: unknown): unknown {
  if (!isRecord(file) && !(file instanceof Object)) return file;
  const read = (name: string): unknown => Reflect.get(file, name);
  const url = read('url');
  if (typeof url === 'string') return { mediaType: read('mediaType'), data: url.replace(/^data:[^,]*,/, '') };
  return { mediaType: read('mediaType'), data: read('base64') };
}

function textOf(error: unknown): unknown {
  return error instanceof Error ? error.message : error;
}

function listOf(value: unknown): readonly SharedEvent[] {
  return Array.isArray(value) ? value : [];
}

function usageOfSdk(usage: unknown): SharedEvent {
  const { inputTokens, inputTokenDetails, outputTokens, outputTokenDetails, totalTokens } = isRecord(usage)
    ? usage
    : {};
  return {
    promptTokens: inputTokens ?? 0,
    completionTokens: outputTokens ?? 0,
    totalTokens: totalTokens ?? 0,
    cachedInputTokens: (isRecord(inputTokenDetails) ? inputTokenDetails['cacheReadTokens'] : undefined) ?? 0,
    reasoningTokens: (isRecord(outputTokenDetails) ? outputTokenDetails['reasoningTokens'] : undefined) ?? 0,
  };
}
