/** Close codes of RFC 6455 and its registry. */
export const closeCodes = {
  notAcceptable: 1008,
  messageTooBig: 1009,
  internalError: 1011,
  serviceRestart: 1012,
  tryAgainLater: 1013,
} as const;
