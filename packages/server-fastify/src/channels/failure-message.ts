/** What a client of a channel is told of a message that it sent in vain. */
export function failureMessage(error: string): string {
  return JSON.stringify({ type: 'ERROR', success: false, error });
}
