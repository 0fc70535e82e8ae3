/** The instrumentation scope of Halyard's spans. */
export const scopeName = '@halyard/core';
/** The instrumentation scope of the metrics of a server. */
export const metricScopeName = '@halyard/server-fastify';
