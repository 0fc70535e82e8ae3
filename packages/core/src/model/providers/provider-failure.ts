import {
  isDevelopment,
  isHalyardError,
  ModelFailedError,
  ModelKeyMissingError,
  PromptTooLongError,
} from '@halyard/contracts';
import { isPromptTooLong } from '../prompt/prompt-too-long.ts';
import { missingKeyError } from './missing-key.ts';
import type { ResolvedModel } from './model-port.ts';

/** Longer error texts of a provider are cut. */
const maxBodyLength = 300;

/**
 * The error of a run whose model threw `error`. Its message contains the provider's report only in
 * development, because clients may read it.
 *
 * @param isCompacting whether the agent has `compaction`.
 */
export function toModelFailure(
  agentId: string,
  model: ResolvedModel | undefined,
  error: unknown,
  isCompacting = false,
): Error {
  if (isHalyardError(error)) return error;
  const missingKey = missingKeyError(agentId, error);
  if (missingKey !== undefined) return missingKey;
  const provider = readProvider(model);
  const reason = providerReport(provider, error);
  const details = reason ?? `${provider}: ${toMessage(error)}`;
  const options = { cause: error, reason, ...(isDevelopment() && { details }) };
  if (isPromptTooLong(error)) return new PromptTooLongError(agentId, isCompacting, options);
  return new ModelFailedError(agentId, options);
}

function readProvider(model: Pick<ResolvedModel, 'provider'> | undefined): string {
  return model?.provider ?? 'the provider';
}

/**
 * The log record of an error that a model threw: one line if its provider reported it, else the
 * error with its stack. The errors of providers contain the request, and so the conversation.
 */
export function loggedModelError(model: Pick<ResolvedModel, 'provider'> | undefined, error: unknown): object {
  const reason = providerReport(readProvider(model), error);
  return reason === undefined ? { err: error } : { reason };
}

/**
 * The same for the error of a run, of an attempt of a step, of a search, or of a function of the
 * app, which may call models.
 */
export function loggedRunError(error: unknown): object {
  if (error instanceof ModelFailedError && error.reason !== undefined)
    return { code: error.code, reason: error.reason };
  if (error instanceof ModelKeyMissingError) return { code: error.code, reason: error.message };
  const reason = isHalyardError(error) ? providerReport(readProvider(undefined), error.cause) : undefined;
  if (isHalyardError(error) && reason !== undefined) return { code: error.code, reason };
  return loggedModelError(undefined, error);
}

/**
 * The provider, the status and the message of an error of the AI SDK's providers. Undefined for
 * other errors.
 */
function providerReport(provider: string, error: unknown): string | undefined {
  if (!(error instanceof Error) || !error.name.startsWith('AI_')) return undefined;
  const { data, responseBody, statusCode }: ApiError = error;
  const answered = typeof statusCode === 'number' ? `${provider} answered ${statusCode}` : provider;
  // Without data, the provider package did not understand the reply, and its message is only the
  // text of the status.
  const body = data === undefined && typeof responseBody === 'string' ? responseBody.slice(0, maxBodyLength) : '';
  return [answered, error.message, body].filter((text) => text !== '').join(': ');
}

/** The fields of the AI SDK's `APICallError` that are used here. */
interface ApiError extends Error {
  readonly statusCode?: unknown;
  readonly responseBody?: unknown;
  readonly data?: unknown;
}

/** Streams may report errors that are no instances of `Error`. */
function toMessage(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  return 'message' in error ? String(error.message) : JSON.stringify(error);
}
