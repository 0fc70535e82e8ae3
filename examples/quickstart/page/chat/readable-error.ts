/** Browsers name a lost connection each in their own words. */
export function isConnectionLost(message: string): boolean {
  return /^(?:Failed to fetch|network error|Load failed|NetworkError)/i.test(message);
}

/** The message of an error as a sentence. The AI SDK passes the body of a failed response on: `{"success":false,"error":"…"}`. */
export function readableError(message: string): string {
  if (isConnectionLost(message)) return 'The server cannot be reached. Check that it is running, then try again.';
  try {
    const body: unknown = JSON.parse(message);
    if (typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string')
      return body.error;
  } catch {
    // Not JSON: the message is a sentence.
  }
  return message;
}
