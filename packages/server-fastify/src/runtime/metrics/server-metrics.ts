import { getHeapStatistics } from 'node:v8';
import type { DriverLoad, Metric, MetricSource, PoolConnections } from '@halyard/contracts';
import type {
  EndedAgentRun,
  EndedExecutionRun,
  EndedModelCall,
  EndedToolCall,
  Registry,
  RunMetrics,
} from '@halyard/core/server';
import { definitions } from './definitions.ts';
import { EventLoop } from './event-loop.ts';
import { KnownValues, otherValue } from './known-values.ts';
import { type AddValue, MetricRegistry } from './metric-registry.ts';

/** The state of a server that each scrape reads. */
export interface ServerState {
  readonly activeRequests: () => number;
  readonly openStreams: () => number;
  readonly openWebSockets: () => number;
  readonly workflowLoad: () => DriverLoad;
  /** The pools of the storages, by name. */
  readonly pools: () => readonly { readonly name: string; readonly connections: PoolConnections }[];
}

export interface EndedRequest {
  readonly method: string;
  /** The pattern of its route; undefined if no route matched. */
  readonly route: string | undefined;
  readonly status: number;
  /** The code of its error. */
  readonly reason: string | undefined;
  readonly durationMs: number;
}

/** `http.route` of requests that match no route. */
const unmatched = 'unmatched';
/** `gen_ai.token.modality`: providers report the sum of the tokens of texts, images and audio. */
const unknownModality = 'unknown';
/** The methods that the semantic conventions know. */
const methods = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']);

/** Counts and measures the work of one server. */
export class ServerMetrics implements RunMetrics, MetricSource {
  readonly #registry = new MetricRegistry();
  readonly #eventLoop = new EventLoop();
  readonly #agents = new KnownValues();
  readonly #agentNames = new KnownValues();
  readonly #tools = new KnownValues();
  readonly #workflows = new KnownValues();
  readonly #operations = new KnownValues();
  readonly #providers = new KnownValues();
  readonly #models = new KnownValues();
  readonly #reasons = new KnownValues();

  readonly #requestDuration = this.#registry.histogram(definitions.requestDuration);
  readonly #rejectedRequests = this.#registry.counter(definitions.rejectedRequests);
  readonly #agentRuns = this.#registry.histogram(definitions.agentRuns);
  readonly #modelCalls = this.#registry.histogram(definitions.modelCalls);
  readonly #inferenceCalls = this.#registry.histogram(definitions.inferenceCalls);
  readonly #agentToolCalls = this.#registry.histogram(definitions.agentToolCalls);
  readonly #inputTokens = this.#registry.counter(definitions.inputTokens);
  readonly #cacheReadTokens = this.#registry.counter(definitions.cacheReadTokens);
  readonly #cacheWriteTokens = this.#registry.counter(definitions.cacheWriteTokens);
  readonly #outputTokens = this.#registry.counter(definitions.outputTokens);
  readonly #reasoningTokens = this.#registry.counter(definitions.reasoningTokens);
  readonly #toolCalls = this.#registry.histogram(definitions.toolCalls);
  readonly #workflowRuns = this.#registry.histogram(definitions.workflowRuns);
  readonly #lost = this.#registry.counter(definitions.lostExecutions);
  readonly #quarantined = this.#registry.counter(definitions.quarantinedExecutions);

  /** Starts measuring the event loop. */
  start(): void {
    this.#eventLoop.start();
  }

  stop(): void {
    this.#eventLoop.stop();
  }

  /** Adds the gauges of each scrape. To be called once. */
  observe(state: ServerState, { allAgents, tools, workflows }: Registry): void {
    this.#agents.register(allAgents.map(({ id }) => id));
    this.#agentNames.register(allAgents.map(({ name }) => name));
    this.#tools.register(tools.map(({ tool }) => tool.name));
    this.#workflows.register(workflows.map(({ id }) => id));
    // Prometheus' `increase` does not see the first value of a counter, so that an alert would miss
    // the first of these.
    for (const { id } of workflows) {
      this.#lost(0, id);
      this.#quarantined(0, id);
    }
    this.#observeWork(state);
    this.#observePools(state);
    this.#observeProcess();
  }

  requestEnded({ durationMs, method, reason, route = unmatched, status }: EndedRequest): void {
    this.#requestDuration(durationMs / 1e3, methods.has(method) ? method : otherValue, route, String(status));
    if (status === 429 || status === 503)
      this.#rejectedRequests(1, String(status), this.#reasons.of(reason ?? 'unknown'));
  }

  agentRunEnded(run: EndedAgentRun): void {
    const { agentId, agentName, durationMs, end, inferenceCalls, toolCalls } = run;
    const agent = this.#agents.of(agentId);
    const name = this.#agentNames.of(agentName);
    const operation = this.#operations.of(run.operation);
    this.#agentRuns(toSeconds(durationMs), agent, name, operation, end);
    this.#inferenceCalls(inferenceCalls, agent, name);
    this.#agentToolCalls(toolCalls, agent, name);
  }

  modelCallEnded(call: EndedModelCall): void {
    const { agentId, cacheWriteTokens = 0, durationMs, end, modelId, provider, usage } = call;
    const model = [this.#agents.of(agentId), this.#providers.of(provider), this.#models.of(modelId)] as const;
    this.#modelCalls(toSeconds(durationMs), ...model, end);
    if (usage === undefined) return;
    const add = (counter: AddValue, tokens: number): void => {
      if (tokens > 0) counter(tokens, ...model, unknownModality);
    };
    add(this.#inputTokens, usage.promptTokens);
    add(this.#cacheReadTokens, usage.cachedInputTokens);
    add(this.#cacheWriteTokens, cacheWriteTokens);
    add(this.#outputTokens, usage.completionTokens);
    add(this.#reasoningTokens, usage.reasoningTokens);
  }

  toolCallEnded({ durationMs, end, toolName }: EndedToolCall): void {
    const tool = this.#tools.of(toolName);
    this.#toolCalls(toSeconds(durationMs), tool, end);
  }

  executionRunEnded({ durationMs, end, workflowId }: EndedExecutionRun): void {
    const workflow = this.#workflows.of(workflowId);
    this.#workflowRuns(toSeconds(durationMs), workflow, end);
    if (end === 'lost') this.#lost(1, workflow);
  }

  executionQuarantined(workflowId: string): void {
    this.#quarantined(1, this.#workflows.of(workflowId));
  }

  /** All metrics in Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.text();
  }

  collect(): Promise<readonly Metric[]> {
    return this.#registry.collect();
  }

  #observeWork({ activeRequests, openStreams, openWebSockets, workflowLoad }: ServerState): void {
    this.#gauge('activeRequests', activeRequests);
    this.#gauge('openStreams', openStreams);
    this.#gauge('openWebSockets', openWebSockets);
    this.#gauge('runningExecutions', () => workflowLoad().running);
    this.#gauge('dueExecutions', () => workflowLoad().due);
    this.#gauge('oldestDue', () => workflowLoad().oldestDueMs / 1e3);
  }

  #observePools({ pools }: ServerState): void {
    this.#registry.observe(definitions.connections, () =>
      pools().flatMap(({ connections: { idle, total }, name }) => [
        [idle, name, 'idle'] as const,
        [total - idle, name, 'used'] as const,
      ]),
    );
    this.#registry.observe(definitions.maxConnections, () =>
      pools().map(({ connections, name }) => [connections.max, name]),
    );
    this.#registry.observe(definitions.waitingForConnection, () =>
      pools().map(({ connections, name }) => [connections.waiting, name]),
    );
  }

  #observeProcess(): void {
    this.#gauge('eventLoopDelayP50', () => this.#eventLoop.read()?.p50Seconds);
    this.#gauge('eventLoopDelayP99', () => this.#eventLoop.read()?.p99Seconds);
    this.#gauge('eventLoopUtilization', () => this.#eventLoop.read()?.utilization);
    this.#registry.observe(definitions.cpuTime, () => {
      const { system, user } = process.cpuUsage();
      return [
        [user / 1e6, 'user'],
        [system / 1e6, 'system'],
      ];
    });
    this.#gauge('residentMemory', () => process.memoryUsage.rss());
    this.#gauge('usedHeap', () => getHeapStatistics().used_heap_size);
    this.#gauge('heapLimit', () => getHeapStatistics().heap_size_limit);
    this.#gauge('uptime', () => process.uptime());
  }

  /** @param read returns undefined for a value that is not known. */
  #gauge(name: keyof typeof definitions, read: () => number | undefined): void {
    this.#registry.observe(definitions[name], () => {
      const value = read();
      return value === undefined ? [] : [[value]];
    });
  }
}

/** The clock may have been set back. */
function toSeconds(durationMs: number): number {
  return Math.max(0, durationMs) / 1e3;
}
