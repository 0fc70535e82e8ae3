import type { MetricDefinition } from './metric-definition.ts';

/** As the semantic conventions recommend for `http.server.request.duration`, and further ones for streams. */
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 120];
/** As they recommend for `gen_ai.client.operation.duration`. */
const runSeconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/** As they recommend for `gen_ai.client.token.usage`. */
const tokens = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];

const none: readonly string[] = [];
const modelAttributes = ['gen_ai.agent.id', 'gen_ai.provider.name', 'gen_ai.request.model'];
const poolName = 'db.client.connection.pool.name';

/**
 * The metrics of a server. Names and units follow OpenTelemetry's semantic conventions where these define them; Halyard's own begin with `halyard`.
 *
 * No attribute has a value that a caller chooses: routes are patterns, ids are those of registered agents, tools and workflows.
 */
export const definitions = {
  requestDuration: histogram(
    'http.server.request.duration',
    's',
    'Requests, from their headers to the end of the reply',
    {
      attributes: ['http.request.method', 'http.route', 'http.response.status_code'],
      boundaries: requestSeconds,
    },
  ),
  activeRequests: gauge(
    'http.server.active_requests',
    '{request}',
    'Requests that handlers are answering, streams included',
  ),
  rejectedRequests: counter(
    'halyard.http.rejected_requests',
    '{request}',
    'Requests that were answered with 429 or 503',
    ['http.response.status_code', 'reason'],
  ),
  openStreams: gauge('halyard.streams.open', '{stream}', 'Open streams of server-sent events'),
  openWebSockets: gauge('halyard.websockets.open', '{connection}', 'Open WebSockets'),

  agentRuns: histogram('halyard.agent.run.duration', 's', 'Runs of agents, sub-agents included', {
    attributes: ['gen_ai.agent.id', 'operation', 'status'],
    boundaries: runSeconds,
  }),
  modelCalls: histogram('gen_ai.client.operation.duration', 's', 'Calls of models, with their retries', {
    attributes: [...modelAttributes, 'status'],
    boundaries: runSeconds,
  }),
  tokenUsage: histogram(
    'gen_ai.client.token.usage',
    '{token}',
    'Tokens of one model call; `_sum` is the number of tokens',
    {
      attributes: [...modelAttributes, 'gen_ai.token.type'],
      boundaries: tokens,
    },
  ),
  cachedTokens: counter(
    'halyard.tokens.cached',
    '{token}',
    'Input tokens that the provider has read from its cache',
    modelAttributes,
  ),
  reasoningTokens: counter(
    'halyard.tokens.reasoning',
    '{token}',
    'Output tokens that the model has used for reasoning',
    modelAttributes,
  ),
  toolCalls: histogram('halyard.tool.call.duration', 's', 'Calls of tools', {
    attributes: ['gen_ai.tool.name', 'status'],
    boundaries: runSeconds,
  }),

  workflowRuns: histogram(
    'halyard.workflow.run.duration',
    's',
    'Runs of executions in this process, without the time in which they waited',
    {
      attributes: ['workflow.id', 'status'],
      boundaries: runSeconds,
    },
  ),
  runningExecutions: gauge(
    'halyard.executions.running',
    '{execution}',
    'Executions that run in this process, which holds their leases',
  ),
  dueExecutions: gauge(
    'halyard.executions.due',
    '{execution}',
    'Executions that were due at the last sweep of this process and that no process had claimed; 1 000 at most',
  ),
  oldestDue: gauge('halyard.executions.oldest_due.age', 's', 'How long the oldest of them has been due'),
  waitingJobs: gauge('halyard.queue.waiting', '{job}', 'Jobs that wait in the queue'),
  lostExecutions: counter(
    'halyard.executions.lost',
    '{execution}',
    'Executions whose lease this process has lost while it ran them',
    ['workflow.id'],
  ),
  quarantinedExecutions: counter(
    'halyard.executions.quarantined',
    '{execution}',
    'Executions that this process has quarantined',
    ['workflow.id'],
  ),

  connections: gauge('db.client.connection.count', '{connection}', 'Open connections of the pool of the storage', [
    poolName,
    'db.client.connection.state',
  ]),
  maxConnections: gauge('db.client.connection.max', '{connection}', 'The most connections that may be open', [
    poolName,
  ]),
  waitingForConnection: gauge(
    'db.client.connection.pending_requests',
    '{request}',
    'Calls that wait for a connection',
    [poolName],
  ),

  eventLoopDelayP50: gauge(
    'nodejs.eventloop.delay.p50',
    's',
    'Median of the delay of the event loop, in the last 10 seconds or since the scrape before',
  ),
  eventLoopDelayP99: gauge('nodejs.eventloop.delay.p99', 's', '99th percentile of the same'),
  eventLoopUtilization: gauge(
    'nodejs.eventloop.utilization',
    '1',
    'Share of the same time in which the event loop was busy',
  ),
  cpuTime: counter('process.cpu.time', 's', 'CPU time of the process', ['cpu.mode']),
  residentMemory: gauge('process.memory.usage', 'By', 'Resident memory of the process'),
  usedHeap: gauge('v8js.memory.heap.used', 'By', 'Used part of the JavaScript heap'),
  heapLimit: gauge('v8js.memory.heap.limit', 'By', 'Greatest size of the JavaScript heap'),
  uptime: gauge('process.uptime', 's', 'Time since the process started'),
} as const;

function histogram(
  name: string,
  unit: string,
  description: string,
  parts: Pick<MetricDefinition, 'attributes' | 'boundaries'>,
): MetricDefinition {
  return { name, unit, description, type: 'histogram', ...parts };
}

function counter(name: string, unit: string, description: string, attributes: readonly string[]): MetricDefinition {
  return { name, unit, description, type: 'counter', attributes };
}

function gauge(
  name: string,
  unit: string,
  description: string,
  attributes: readonly string[] = none,
): MetricDefinition {
  return { name, unit, description, type: 'gauge', attributes };
}
