import { Shares } from '@halyard/core';

export interface CallerLimits {
  readonly perCaller: number;
  readonly perProcess: number;
}

/**
 * What callers have at the same time, each of them and in total. A few callers cannot take everything: see {@link Shares}.
 * Where the limit of one caller is that of the process, each takes what is free.
 */
export function sharesOfCallers({ perCaller, perProcess }: CallerLimits): Shares {
  const takesAll = perCaller >= perProcess;
  return new Shares({ slots: perProcess, perSubject: perCaller, ...(takesAll && { weightOf: () => Infinity }) });
}
