import { useQueryClient } from '@tanstack/react-query';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { useEffect, useRef, useState } from 'react';
import { apiUrl, clientHeader, credentialHeaders, receiveFailure } from '../../api/client.ts';
import type { components } from '../../api/schema.ts';
import { eventsPath } from './read-execution.ts';

type WorkflowEvent = components['schemas']['WorkflowEvent'];
/** A stored event of an execution. */
export type StoredEvent = Extract<WorkflowEvent, { seq: number }>;

interface Events {
  readonly events: readonly StoredEvent[];
  readonly error: Error | undefined;
  readonly isLoaded: boolean;
}

/**
 * Texts of tokens that an agent streams are not shown here; at most this often the page is drawn
 * again.
 */
const drawMs = 80;
const retryMs = 2_000;

/**
 * The events of an execution, live: the stream is followed until the execution is suspended or
 * ends, and again when its state changes. Each time it continues after the last event that is
 * known.
 */
export function useExecutionEvents(
  workflowId: string,
  executionId: string,
  execution: Pick<components['schemas']['ExecutionState'], 'status' | 'updatedAt'> | undefined,
): Events {
  const client = useQueryClient();
  const [events, setEvents] = useState<Events>(none);
  const last = useRef(0);
  // How often the stream has ended while the execution ran: it was suspended and resumed in
  // between.
  const [ends, setEnds] = useState(0);
  const [shownId, setShownId] = useState(executionId);
  if (shownId !== executionId) {
    setShownId(executionId);
    setEvents(none);
  }
  useEffect(() => {
    last.current = 0;
  }, [executionId]);
  const isRunning = execution?.status === 'running';
  const version = execution === undefined ? '' : `${execution.status} ${isRunning ? '' : execution.updatedAt} ${ends}`;
  useEffect(() => {
    if (version === '') return undefined;
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readState = (): void => void client.invalidateQueries({ queryKey: ['executions', 'one', executionId] });
    const follow = async (): Promise<void> => {
      const buffer: StoredEvent[] = [];
      const draw = (): void => {
        timer = undefined;
        const added = buffer.splice(0);
        last.current = added.at(-1)?.seq ?? last.current;
        setEvents((current) => ({ events: append(current.events, added), error: undefined, isLoaded: true }));
      };
      for await (const event of readEvents(workflowId, executionId, last.current, abort.signal)) {
        buffer.push(event);
        timer ??= setTimeout(draw, drawMs);
        // The state of the execution has changed too.
        if (event.type.startsWith('workflow-')) readState();
      }
      clearTimeout(timer);
      draw();
      if (isRunning) timer = setTimeout(() => setEnds((count) => count + 1), retryMs);
    };
    follow().catch((error: unknown) => {
      if (abort.signal.aborted) return;
      clearTimeout(timer);
      setEvents((current) => ({ ...current, error: error instanceof Error ? error : new Error(String(error)) }));
      timer = setTimeout(() => setEnds((count) => count + 1), retryMs);
    });
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  }, [client, workflowId, executionId, version, isRunning]);
  return events;
}

const none: Events = { events: [], error: undefined, isLoaded: false };

/** Events that are known already are not added again. */
function append(known: readonly StoredEvent[], added: readonly StoredEvent[]): readonly StoredEvent[] {
  const last = known.at(-1)?.seq ?? 0;
  const fresh = added.filter(({ seq }) => seq > last);
  return fresh.length === 0 ? known : [...known, ...fresh];
}

/** The events after one that is known, then new ones until the execution is suspended or ends. */
async function* readEvents(
  workflowId: string,
  executionId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent, void> {
  const path = `${eventsPath(workflowId, executionId)}?from=${after}`;
  const response = await fetch(apiUrl + path, { headers: { ...credentialHeaders(), ...clientHeader }, signal });
  if (!response.ok || response.body === null)
    throw receiveFailure(await response.json().catch(() => undefined), response);
  const events = response.body
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  for (let next = await events.read(); !next.done; next = await events.read()) {
    if (next.value.data === '[DONE]') continue;
    const event = JSON.parse(next.value.data) as WorkflowEvent;
    if ('seq' in event) yield event;
  }
}
