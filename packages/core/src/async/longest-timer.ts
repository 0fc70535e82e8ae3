/**
 * The longest time that `setTimeout` accepts, in milliseconds. With a longer one it fires at once.
 */
export const longestTimerMs: number = 2 ** 31 - 1;
