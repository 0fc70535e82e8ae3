import type { Execution, ExecutionEvent, Job, JournalEntry, NewExecutionEvent, Owner } from '@halyard/contracts';
import { toExecution, listTree } from '@halyard/memory-in-memory/executions';
import type { ObjectContext, ObjectSharedContext } from '@restatedev/restate-sdk';
import { call } from './calls.ts';
import { isOwner } from './execution-object.ts';
import { eventKey, type LoadedTree, loadTree, readValues, savePlace, toRow } from './execution-state.ts';
import type { Cut, ExecutionHandlers, Found, InputsOf, Row, Version } from './protocol.ts';

type Inputs = InputsOf<ExecutionHandlers>;

/** How many events are asked for at a time. */
const eventsPerRead = 100;

/** The handlers that only read: Restate runs them beside a change. */
export class ExecutionReader {
  async find(ctx: ObjectSharedContext, { id, owner }: Inputs['find']): Promise<Found> {
    const alias = await ctx.get<string>('alias');
    if (alias !== null) return { rootId: alias };
    const loaded = await loadTree(ctx, { children: [id] });
    const found = loaded && listTree(loaded.tree).find(({ record }) => record.id === id);
    return found !== undefined && isOwner(owner, found.record) ? { execution: toExecution(found) } : null;
  }

  async journal(ctx: ObjectSharedContext, { owner }: Inputs['journal']): Promise<readonly JournalEntry[]> {
    const loaded = await loadTree(ctx, { children: [], journal: true });
    return loaded !== undefined && isOwner(owner, loaded.tree.record) ? loaded.tree.journal : [];
  }

  async events(
    ctx: ObjectSharedContext,
    { after, creationId, id, limit, maxBytes, owner }: Inputs['events'],
  ): Promise<Cut> {
    const alias = await ctx.get<string>('alias');
    if (alias !== null) return { rootId: alias };
    const loaded = await loadTree(ctx, { children: [id] });
    const record = loaded && listTree(loaded.tree).find((one) => one.record.id === id)?.record;
    if (record === undefined || !isOwner(owner, record)) return { events: [] };
    if (creationId !== null && record.creationId !== creationId) return { events: [] };
    const events: ExecutionEvent[] = [];
    const from = Math.max(0, Math.floor(after));
    const end = Math.min(record.seq, from + limit);
    let bytes = 0;
    for (let read = from; read < end; read += eventsPerRead) {
      const seqs = Array.from({ length: Math.min(eventsPerRead, end - read) }, (_, index) => read + index + 1);
      const values = await readValues<NewExecutionEvent>(
        ctx,
        seqs.map((seq) => eventKey(id, seq)),
      );
      for (const [index, event] of values.entries()) {
        if (event === null) continue;
        if (maxBytes !== null) bytes += JSON.stringify(event).length;
        if (maxBytes !== null && bytes > maxBytes && events.length > 0) return { events };
        events.push({ seq: read + index + 1, event });
      }
    }
    return { events };
  }

  async children(ctx: ObjectSharedContext, { owner }: Inputs['children']): Promise<readonly Execution[]> {
    const loaded = await loadTree(ctx);
    return loaded === undefined ? [] : childrenOf(loaded, owner);
  }

  async version(ctx: ObjectSharedContext): Promise<Version> {
    const alias = await ctx.get<string>('alias');
    if (alias !== null) return call(ctx, 'execution', alias, 'version', undefined);
    const { place, tree } = (await loadTree(ctx, { children: [] })) ?? {};
    return { revision: place?.revision ?? 0, signals: tree?.record.signals ?? 0 };
  }

  /** Requests the cancellation of those that a new execution replaces. */
  async supersede(ctx: ObjectSharedContext, { reason }: Inputs['supersede']): Promise<readonly Job[]> {
    const loaded = await loadTree(ctx, { children: [] });
    if (loaded === undefined) return [];
    const { debounce, singleton } = loaded.place.keys;
    const { id: newer } = loaded.tree.record;
    const replaced = new Map<string, Job>();
    for (const [key, isUnclaimed] of [
      [singleton, false],
      [debounce, true],
    ] as const) {
      if (key === undefined) continue;
      for (const id of await call(ctx, 'key', key, 'before', { id: newer })) {
        const job = await call(ctx, 'execution', id, 'replace', { reason, isUnclaimed });
        if (job !== null) replaced.set(id, job);
      }
    }
    return [...replaced.values()];
  }

  async row(ctx: ObjectContext): Promise<Row | null> {
    const loaded = await loadTree(ctx, { children: [] });
    if (loaded === undefined) return null;
    await savePlace(ctx, { ...loaded.place, isListed: false });
    return toRow(loaded);
  }
}

function childrenOf({ tree }: LoadedTree, owner: Owner): readonly Execution[] {
  return (tree.descendants ?? []).filter(({ record }) => isOwner(owner, record)).map(toExecution);
}
