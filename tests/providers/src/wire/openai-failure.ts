import type { JsonObject } from '@halyard/contracts';
import type { WireError } from './script.ts';

/** OpenAI's error body. */
export function openaiFailure(status: number, error: Partial<WireError>): JsonObject {
  const { message, type, code } = { ...usualError(status), ...error };
  return { error: { message, type, param: null, code } };
}

/** The error in an error event of the Responses API. */
export function streamError(error: Partial<WireError>): { readonly code: string | null; readonly message: string } {
  const { message, code } = { ...usualError(500), ...error };
  return { code: code ?? 'server_error', message };
}

function usualError(status: number): WireError {
  if (status === 401)
    return { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' };
  if (status === 429)
    return { message: 'Rate limit reached for requests.', type: 'requests', code: 'rate_limit_exceeded' };
  if (status >= 500)
    return { message: 'The server had an error while processing your request.', type: 'server_error', code: null };
  return { message: 'The request is not valid.', type: 'invalid_request_error', code: null };
}
