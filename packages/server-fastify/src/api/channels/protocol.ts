/** Close codes of RFC 6455 and its registry. */
export const closeCodes = {
  notAcceptable: 1008,
  messageTooBig: 1009,
  internalError: 1011,
  serviceRestart: 1012,
  tryAgainLater: 1013,
} as const;

/** The reply to a message that a channel does not accept. */
export function failureMessage(error: string): string {
  return JSON.stringify({ type: 'ERROR', success: false, error });
}
