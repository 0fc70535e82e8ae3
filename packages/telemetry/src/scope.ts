/** The instrumentation scope of Halyard's spans. */
export const scopeName = '@halyard/core';
