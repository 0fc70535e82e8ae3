/**
 * Code that Stryker changes, and the tests that must notice. Patterns and files are relative to the
 * repository.
 */
export interface Part {
  readonly name: string;
  readonly mutate: readonly string[];
  /** In the order in which they run: those that notice most, and are fast, come first. */
  readonly tests: readonly string[];
}

export interface Group {
  readonly name: string;
  /** The least score. */
  readonly targetPercent: number;
  readonly parts: readonly Part[];
}

export const groups: readonly Group[] = [
  {
    name: 'access',
    targetPercent: 90,
    parts: [
      {
        name: 'server',
        mutate: ['packages/server-fastify/src/access/*.ts', '!packages/server-fastify/src/access/anonymous-user.ts'],
        tests: [
          'packages/server-fastify/src/access/{authorize,credentials,another-site,identity,create-access,route-pattern}.test.ts',
        ],
      },
      {
        name: 'anonymous',
        mutate: ['packages/server-fastify/src/access/anonymous-user.ts'],
        tests: ['packages/server-fastify/src/access/anonymous-user.test.ts'],
      },
      {
        name: 'hook',
        mutate: ['packages/server-fastify/src/http/guards/access-hook.ts'],
        tests: [
          'packages/server-fastify/src/http/guards/{access-hook,other-sites}.test.ts',
          'packages/server-fastify/src/admission/limit-rates.test.ts',
          'packages/server-fastify/src/api/channels/echo.test.ts',
          'packages/mcp/src/mcp-access.test.ts',
        ],
      },
      {
        name: 'jwt',
        mutate: [
          'packages/auth-jwt/src/{jwt-auth,token-header,verified-tokens,token-verifier,verify-signed,verify-settings,fixed-keys,jwt-algorithm}.ts',
        ],
        tests: [
          'packages/auth-jwt/src/{jwt-auth,refusal,token-header,verified-tokens}.test.ts',
          'packages/auth-jwt/src/conformance.test.ts',
        ],
      },
      {
        name: 'jwks',
        mutate: ['packages/auth-jwt/src/{jwk-set,fetch-json,jwks-location,key-server-address}.ts'],
        tests: ['packages/auth-jwt/src/{fetch-json,jwt-auth,jwk-set,discovery,key-set-algorithms}.test.ts'],
      },
      {
        name: 'custom',
        mutate: ['packages/auth-custom/src/*.ts'],
        tests: ['packages/auth-custom/src/{custom-auth,verified-cache,conformance}.test.ts'],
      },
    ],
  },
  {
    name: 'ownership',
    targetPercent: 90,
    parts: [
      {
        name: 'requests',
        mutate: [
          'packages/server-fastify/src/api/routes/memory/memory-access.ts',
          'packages/core/src/memory/run-owner.ts',
        ],
        tests: [
          'packages/core/src/memory/run-owner.test.ts',
          'packages/core/src/memory/working-memory/working-memory-tools.test.ts',
          'packages/server-fastify/src/api/routes/memory/memory-access.test.ts',
        ],
      },
      {
        name: 'memory',
        mutate: [
          'packages/memory-in-memory/src/conversations/{conversation-table,in-memory-conversation-store,in-memory-working-memory-store,stored-conversation}.ts',
          'packages/memory-in-memory/src/in-memory-{approval,user-data}-store.ts',
          'packages/memory-in-memory/src/executions/{execution-table,matches-filter,published-events}.ts',
        ],
        tests: [
          'packages/memory-in-memory/src/conversations/in-memory-{conversation,working-memory}-store.test.ts',
          'packages/memory-in-memory/src/in-memory-*.test.ts',
          'packages/memory-in-memory/src/executions/{commit-changes,runner-leases,published-events,execution-table,matches-filter}.test.ts',
          'packages/memory-in-memory/src/{executions/conformance,conformance}.test.ts',
        ],
      },
      {
        name: 'vectors',
        mutate: ['packages/memory-in-memory/src/conversations/in-memory-vector-store.ts'],
        tests: [
          'packages/memory-in-memory/src/conversations/in-memory-vector-store.test.ts',
          'packages/memory-in-memory/src/conformance.test.ts',
        ],
      },
      {
        name: 'telemetry',
        mutate: ['packages/memory-in-memory/src/telemetry/*.ts'],
        tests: [
          'packages/memory-in-memory/src/telemetry/in-memory-telemetry-store.test.ts',
          'packages/memory-in-memory/src/conformance.test.ts',
        ],
      },
    ],
  },
  {
    name: 'leases',
    targetPercent: 90,
    parts: [
      {
        name: 'claims',
        mutate: [
          'packages/core/src/workflow/engine/driver/{executor,executor-timers,local-execution,claimer,backlog,lease-deadline,renew-held,may-run-elsewhere,quarantine-execution,until-unavailable}.ts',
        ],
        tests: [
          'packages/core/src/workflow/engine/driver/{lease-deadline,claimer,quarantine-execution,executor-timers,executor-leases,executor-jobs,executor}.test.ts',
          'packages/core/src/workflow/{quarantine,concurrency,definition-changed}.test.ts',
          'packages/core/src/workflow/engine/delayed-starts.test.ts',
        ],
      },
      {
        name: 'memory',
        mutate: [
          'packages/memory-in-memory/src/executions/{in-memory-execution-store,commit-changes,due-executions,runner-leases}.ts',
          'packages/memory-in-memory/src/executions/{concurrency-keys,root-changes,stored-execution}.ts',
        ],
        tests: [
          'packages/memory-in-memory/src/executions/{commit-changes,runner-leases,concurrency-keys,published-events,due-executions,conformance}.test.ts',
          'packages/memory-in-memory/src/in-memory-user-data-store.test.ts',
        ],
      },
      {
        name: 'streams',
        mutate: ['packages/memory-in-memory/src/streams/*.ts'],
        tests: [
          'packages/memory-in-memory/src/streams/in-memory-stream-store.test.ts',
          'packages/memory-in-memory/src/conformance.test.ts',
        ],
      },
    ],
  },
  {
    name: 'chat',
    targetPercent: 85,
    parts: [
      {
        name: 'chunks',
        mutate: [
          'packages/core/src/chat/{to-ui-chunks,to-stream-event,to-text-reply,to-text,collect-text,start-chat}.ts',
          'packages/core/src/chat/stream/replay-message.ts',
        ],
        tests: [
          'packages/core/src/chat/{to-ui-chunks,to-stream-event,to-text-reply,start-chat}.test.ts',
          'packages/core/src/chat/executions/resumed-run.test.ts',
          'packages/core/src/chat/stream/replay-message.test.ts',
        ],
      },
      {
        name: 'chats',
        mutate: [
          'packages/core/src/chat/{chats,extended-message,ui-chunks}.ts',
          'packages/core/src/chat/stream/read-again.ts',
        ],
        tests: [
          'packages/core/src/chat/{chats,start-chat}.test.ts',
          'packages/core/src/chat/stream/{read-again,resumable-chats}.test.ts',
          'packages/core/src/chat/executions/resume-executions.test.ts',
        ],
      },
      {
        name: 'resumed',
        mutate: ['packages/core/src/chat/executions/{resumed-run,resumed-step}.ts'],
        tests: ['packages/core/src/chat/executions/{resumed-run,resumed-step}.test.ts'],
      },
      {
        name: 'executions',
        mutate: ['packages/core/src/chat/executions/resume-executions.ts'],
        tests: [
          'packages/core/src/chat/executions/resume-executions.test.ts',
          'packages/server-fastify/src/api/routes/agents/resume-executions.test.ts',
        ],
      },
      {
        name: 'resumable',
        mutate: ['packages/core/src/chat/stream/{stream-writer,follow-stream,resumable-chats}.ts'],
        tests: ['packages/core/src/chat/stream/{stream-writer,follow-stream,chat-lifetime,resumable-chats}.test.ts'],
      },
      {
        name: 'durable',
        mutate: ['packages/core/src/chat/durable/{reply-takeover,chat-stream,follow-durable-chat}.ts'],
        tests: ['packages/core/src/chat/durable/*.test.ts'],
      },
      {
        name: 'durable-runs',
        mutate: ['packages/core/src/chat/durable/{durable-chats,write-chat}.ts'],
        tests: [
          'packages/core/src/chat/durable/durable-chats.test.ts',
          'packages/server-fastify/src/api/routes/agents/durable-chat{,-recovery}.test.ts',
        ],
      },
    ],
  },
  {
    name: 'agent',
    targetPercent: 85,
    parts: [
      {
        name: 'loop',
        mutate: ['packages/core/src/agent/loop/*.ts'],
        tests: [
          'packages/core/src/agent/loop/*.test.ts',
          'packages/core/src/agent/{agent-stream,hooks,instructions,loop-control,generation-options}.test.ts',
          'packages/core/src/agent/{message-metadata,sub-agent-tool}.test.ts',
          'packages/core/src/agent/smoothing/text-smoother.test.ts',
          'packages/core/src/agent/tools/{tool-call,suspended-calls}.test.ts',
          'packages/core/src/agent/approvals/approval-responses.test.ts',
          'packages/core/src/agent/objects/structured-output.test.ts',
          'packages/core/src/agent/processors/{processors,guardrails,coverage}.test.ts',
          'packages/core/src/conversation/{conversation,conversation-reply,conversation-duplicates}.test.ts',
          'packages/core/src/conversation/{conversation-approvals,message-parts}.test.ts',
          'packages/core/src/tool/provider-tool.test.ts',
        ],
      },
      {
        name: 'step',
        mutate: ['packages/core/src/agent/loop/step/*.ts'],
        tests: [
          'packages/core/src/agent/loop/step/*.test.ts',
          'packages/core/src/agent/loop/{loop,results,provider-metadata}.test.ts',
          'packages/core/src/agent/loop-control.test.ts',
        ],
      },
      {
        name: 'tool-calls',
        mutate: ['packages/core/src/agent/tools/*.ts'],
        tests: [
          'packages/core/src/agent/tools/*.test.ts',
          'packages/core/src/agent/loop/loop.test.ts',
          'packages/core/src/agent/{loop-control,sub-agent-tool,hooks}.test.ts',
          'packages/core/src/agent/approvals/approval-responses.test.ts',
        ],
      },
      {
        name: 'conversation',
        mutate: ['packages/core/src/conversation/**/*.ts'],
        tests: [
          'packages/core/src/conversation/**/*.test.ts',
          'packages/core/src/chat/durable/reply-takeover{,-cuts}.test.ts',
          'packages/core/src/chat/executions/*.test.ts',
          'packages/core/src/agent/approvals/*.test.ts',
          'packages/core/src/agent/processors/compact.test.ts',
          'packages/core/src/memory/*.test.ts',
          'packages/server-fastify/src/api/routes/agents/{chat,changed-calls,remembered-runs,compaction}.test.ts',
        ],
      },
      {
        name: 'approvals',
        mutate: ['packages/core/src/agent/approvals/*.ts'],
        tests: ['packages/core/src/agent/approvals/*.test.ts'],
      },
      {
        name: 'objects',
        mutate: ['packages/core/src/agent/objects/*.ts'],
        tests: ['packages/core/src/agent/objects/*.test.ts'],
      },
      {
        name: 'processors',
        mutate: ['packages/core/src/agent/processors/*.ts'],
        tests: [
          'packages/core/src/agent/processors/*.test.ts',
          'packages/core/src/conversation/{conversation-summary,prompt-too-long}.test.ts',
          'packages/core/src/conversation/{conversation-input,message-parts,refused-files}.test.ts',
          'packages/core/src/agent/loop/{start,provider-metadata,results}.test.ts',
          'packages/core/src/agent/agent.test.ts',
        ],
      },
      {
        name: 'agent',
        mutate: ['packages/core/src/agent/*.ts', 'packages/core/src/agent/smoothing/*.ts'],
        tests: [
          'packages/core/src/agent/*.test.ts',
          'packages/core/src/agent/smoothing/*.test.ts',
          'packages/core/src/agent/loop/{loop,results}.test.ts',
          'packages/server-fastify/src/api/routes/agents/trials.test.ts',
        ],
      },
    ],
  },
  {
    name: 'streaming',
    targetPercent: 85,
    parts: [
      {
        name: 'streaming',
        mutate: ['packages/server-fastify/src/api/streaming/*.ts'],
        tests: ['packages/server-fastify/src/api/streaming/*.test.ts'],
      },
    ],
  },
  {
    name: 'channels',
    targetPercent: 85,
    parts: [
      {
        name: 'sockets',
        mutate: [
          'packages/server-fastify/src/api/channels/{change-sender,open-sockets,paced-sender,protocol,socket-connection}.ts',
        ],
        tests: ['packages/server-fastify/src/api/channels/{senders,sockets}.test.ts'],
      },
      {
        name: 'telemetry',
        mutate: ['packages/server-fastify/src/api/channels/live-{event,telemetry,trace}.ts'],
        tests: ['packages/server-fastify/src/api/channels/observability.test.ts'],
      },
      {
        name: 'messages',
        mutate: ['packages/server-fastify/src/api/channels/{echo,log-subscription,logs,observability}.ts'],
        tests: ['packages/server-fastify/src/api/channels/{log-subscription,echo,observability,logs}.test.ts'],
      },
    ],
  },
  {
    name: 'define',
    targetPercent: 85,
    parts: [
      {
        name: 'define',
        mutate: ['packages/server-fastify/src/api/define/*.ts'],
        tests: ['packages/server-fastify/src/api/define/*.test.ts'],
      },
    ],
  },
  {
    name: 'client',
    targetPercent: 85,
    parts: [
      {
        name: 'client',
        mutate: ['packages/client/src/*.ts', '!packages/client/src/schema.ts'],
        tests: ['packages/client/src/*.test.ts'],
      },
    ],
  },
  {
    name: 'memory',
    targetPercent: 85,
    parts: [
      {
        name: 'memory',
        mutate: ['packages/core/src/memory/*.ts'],
        tests: ['packages/core/src/memory/*.test.ts', 'packages/core/src/memory/recall/{recall,search}.test.ts'],
      },
      {
        name: 'recall',
        mutate: ['packages/core/src/memory/recall/*.ts'],
        tests: ['packages/core/src/memory/recall/*.test.ts'],
      },
      {
        name: 'working-memory',
        mutate: ['packages/core/src/memory/working-memory/*.ts'],
        tests: ['packages/core/src/memory/working-memory/*.test.ts'],
      },
    ],
  },
];
