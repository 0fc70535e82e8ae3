export const connectionLost = 'The connection to the server was lost. Check that it is running, then try again.';

/**
 * The message of an error as a sentence. The AI SDK passes the body of a refusal on:
 * `{"success":false,"error":"…"}`.
 */
export function readableError(message: string): string {
  if (/^(?:Failed to fetch|network error|Load failed|NetworkError)/i.test(message)) return connectionLost;
  try {
    const body: unknown = JSON.parse(message);
    if (typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string')
      return body.error;
  } catch {
    // No JSON: the message is a sentence.
  }
  return message;
}
