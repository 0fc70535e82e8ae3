import type { ExecutionStore } from '@halyard/contracts';

/**
 * Claimed executions with the calls in vain, and these calls: they returned nothing although
 * something was due.
 */
export interface ClaimCounts {
  claims: number;
  inVain: number;
}

/** Counts the claims of a store from now on. */
export function countClaims(store: ExecutionStore): ClaimCounts {
  const counts = { claims: 0, inVain: 0 };
  const create = store.create.bind(store);
  store.create = async (...parameters) => {
    const outcome = await create(...parameters);
    if (typeof outcome === 'object') counts.claims += 1;
    return outcome;
  };
  const claim = store.claim.bind(store);
  store.claim = async (...parameters) => {
    const claimed = await claim(...parameters);
    counts.claims += 1;
    if (claimed === undefined) counts.inVain += 1;
    return claimed;
  };
  // Commits before November 29, 2026 have no such method.
  if (!('claimNext' in store)) return counts;
  const claimNext = store.claimNext.bind(store);
  store.claimNext = async (...parameters) => {
    const next = await claimNext(...parameters);
    counts.claims += Math.max(1, next.claimed.length);
    if (next.claimed.length === 0 && next.nextDueInMs === 0) counts.inVain += 1;
    return next;
  };
  return counts;
}
