import type { ClaimedExecution } from '@halyard/contracts';
import {
  claimRoot,
  isExhausted,
  isFinal,
  neededChildren,
  neededEntries,
  toExecution,
} from '@halyard/memory-in-memory/executions';
import type { ObjectContext } from '@restatedev/restate-sdk';
import { call } from './calls.ts';
import { concurrencyKey, type LoadedTree, loadTree, makeDue, saveTree } from './execution-state.ts';
import type { ClaimInput, ClaimResult, Delivery } from './protocol.ts';
import { leaveDebounce } from './start-rules.ts';

/** Twice the lease on PostgreSQL. */
const firstBackOffMs = 20_000;

/**
 * Gives an execution to a process. An older delivery takes nothing from a runner; a newer one
 * does: the connection of the runner to Restate is broken, though its process may not know it.
 */
export async function claimTree(ctx: ObjectContext, input: ClaimInput, now: number): Promise<ClaimResult> {
  const loaded = await loadTree(ctx, { journal: true });
  if (loaded === undefined) return { status: 'refused' };
  const { place, tree } = loaded;
  const { claimId, definitions, delivery, maxClaims, runner } = input;
  if (place.claimId === claimId) return claimed(loaded, now);
  const { definition } = tree.record;
  const isKnown = definitions === null || Object.hasOwn(definitions, definition);
  if (isFinal(tree.record) || !mayClaim(loaded, delivery, now)) return { status: 'refused' };
  if (!isKnown) {
    // Others that wait for its place may have definitions that are known.
    tree.record.waitingSince = null;
    tree.record.runner = null;
    place.dueAt = now;
    saveTree(ctx, loaded);
    return { status: 'unknown' };
  }
  if (maxClaims !== null && isExhausted(tree, maxClaims)) {
    const { claimsWithoutCommit } = tree;
    tree.record.runner = null;
    place.dueAt = now;
    saveTree(ctx, loaded);
    return { status: 'exhausted', claimsWithoutCommit };
  }
  const backOff = backOffMs(ctx, loaded, maxClaims);
  if (backOff > 0) {
    tree.record.runner = null;
    makeDue(ctx, loaded, backOff, now);
    saveTree(ctx, loaded);
    return { status: 'refused' };
  }
  if (!(await hasPlace(ctx, loaded, now))) {
    saveTree(ctx, loaded);
    return { status: 'refused' };
  }
  if (tree.record.epoch === 0) leaveDebounce(ctx, tree.record.id, place.keys);
  claimRoot(tree, { runner, definition: definitions?.[definition] ?? definition });
  const earlier = tree.claimsWithoutCommit > 1 ? place.claims : [];
  const claims = delivery === null ? earlier : [...earlier, delivery];
  Object.assign(place, { claimId, claims, delivery, awakeable: input.awakeable, dueAt: null });
  saveTree(ctx, loaded);
  return claimed(loaded, now);
}

function mayClaim({ place, tree }: LoadedTree, delivery: Delivery | null, now: number): boolean {
  // Of the same delivery, its process has not received the reply to an earlier claim.
  if (tree.record.runner !== null) return delivery !== null && !isOlder(delivery, place.delivery);
  if (place.dueAt === null) return false;
  // Restate waited for it, by its own clock.
  return delivery?.ticket === place.ticket || place.dueAt <= now;
}

/**
 * How long an execution is left alone whose runner may have died of it, so that it takes few others
 * with it: docs/decisions/lost-executions-back-off.md.
 */
function backOffMs(ctx: ObjectContext, { tree }: LoadedTree, maxClaims: number | null): number {
  const { claimsWithoutCommit, record } = tree;
  if (record.runner === null || record.request !== null || maxClaims === null || claimsWithoutCommit < 2) return 0;
  return firstBackOffMs * 2 ** Math.min(claimsWithoutCommit - 2, 3) * (1 + ctx.rand.random() / 2);
}

/** Whether another delivery has replaced this one. */
export function isOlder(delivery: Delivery, than: Delivery | null): boolean {
  if (than === null) return false;
  return delivery.ticket < than.ticket || (delivery.ticket === than.ticket && delivery.attempt < than.attempt);
}

/** Without a place of its concurrency key, it waits until the key wakes it. */
async function hasPlace(ctx: ObjectContext, { place, tree }: LoadedTree, now: number): Promise<boolean> {
  const { concurrency, definition, id, priority, request, runner, waitingSince } = tree.record;
  if (concurrency === null || (request !== null && runner === null)) return true;
  const since = waitingSince ?? now;
  const parameter = { id, limit: concurrency.limit, priority, definition, waitingSince: since };
  place.isAtKey = true;
  if (await call(ctx, 'key', concurrencyKey(concurrency.key), 'take', parameter)) return true;
  tree.record.waitingSince = since;
  tree.record.runner = null;
  place.dueAt = null;
  return false;
}

function claimed({ tree }: LoadedTree, now: number): ClaimResult {
  const { checkpoint, claimsWithoutCommit, subject } = tree;
  const claim: ClaimedExecution = {
    execution: toExecution(tree),
    subject,
    journal: neededEntries(tree),
    children: neededChildren(tree).map(toExecution),
    ...(checkpoint !== undefined && { checkpoint: checkpoint.data }),
    claimsWithoutCommit,
    now,
  };
  return { status: 'claimed', claimed: claim };
}
