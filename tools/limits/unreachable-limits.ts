const hour = 3_600_000;

/**
 * Limits that no machine reaches, however busy it is: the server must not refuse a request because
 * it is slow.
 */
export const unreachableLimits = { eventLoopDelayMs: hour, requestTimeoutMs: hour } as const;
