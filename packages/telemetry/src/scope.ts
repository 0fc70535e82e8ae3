/** Whose spans ours are, as those who look at them are told. */
export const scopeName = '@halyard/core';
