/** The reply to a message that a channel does not accept. */
export function failureMessage(error: string): string {
  return JSON.stringify({ type: 'ERROR', success: false, error });
}
