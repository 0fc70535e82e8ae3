import { createHash } from 'node:crypto';
import { InvalidInputError, isHalyardError, NotFoundError } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import type { Hook, HookRequest, ReceivedWebhook } from '../../../runtime/hooks/hook-options.ts';
import { verifyHook } from '../../../runtime/hooks/verify-hook.ts';
import { defineRoute } from '../../define/define-route.ts';
import type { Services } from '../../services.ts';

const HookHeaders = Type.Object({
  'webhook-id': Type.Optional(Type.String()),
  'webhook-timestamp': Type.Optional(Type.String({ description: 'Seconds since the epoch' })),
  'webhook-signature': Type.Optional(Type.String()),
});

export const hookRoutes = [
  defineRoute({
    method: 'POST',
    url: '/hooks/:hookId',
    // The signature is the credential.
    tier: 'public',
    operationId: 'receiveWebhook',
    tag: 'Webhooks',
    summary: 'Receive a signed webhook for a hook of the server',
    description:
      'Signed by the Standard Webhooks specification, or as the hook verifies it. A webhook that is sent again has no further effect.',
    params: Type.Object({ hookId: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }) }),
    requestHeaders: HookHeaders,
    accepts: 'bytes',
    data: Type.Object({
      executionId: Type.Union([Type.String(), Type.Null()], { description: 'The execution that it has started' }),
      eventId: Type.Union([Type.String(), Type.Null()], { description: 'The event that it has published' }),
    }),
    failures: [401, 404],
    handler: async ({ body, caller, headers, params: { hookId } }, services) => {
      const hook = services.hooks.get(hookId);
      if (hook === undefined) throw new NotFoundError('hook', hookId);
      const { agentServices, audit } = services;
      const request = toRequest(body, headers);
      const id = await verifyHook(hook, request, agentServices);
      const webhook = { ...request, id, payload: readPayload(request) };
      const entry = { action: 'hook.receive', target: {}, detail: { hookId, webhookId: id } };
      return audit.record(entry, caller, () => receive(hook, webhook, idOf(hookId, id), services), 'webhook');
    },
  }),
];

async function receive(
  { publish, start }: Hook,
  webhook: ReceivedWebhook,
  requestId: string,
  { workflows }: Pick<Services, 'workflows'>,
): Promise<{ readonly executionId: string | null; readonly eventId: string | null }> {
  const execution = await start?.(webhook);
  let executionId: string | null = null;
  if (execution !== undefined) {
    const { input, options = {}, workflowId } = execution;
    executionId = options.executionId ?? `${workflowId}-${requestId}`;
    try {
      await workflows.begin(workflowId, input, { ...options, executionId }, 'body');
    } catch (error) {
      // It was sent before, or another webhook about the same thing was.
      if (!isHalyardError(error) || error.code !== 'EXECUTION_EXISTS') throw error;
    }
  }
  const event = await publish?.(webhook);
  const published = event && (await workflows.publish({ ...event, requestId }));
  return { executionId, eventId: published?.eventId ?? null };
}

/** The same for each attempt of a sender, and of a length that every store takes. */
function idOf(hookId: string, webhookId: string): string {
  return createHash('sha256').update(`${hookId}/${webhookId}`).digest('hex').slice(0, 40);
}

function toRequest(body: unknown, headers: unknown): HookRequest {
  const bytes = body instanceof Uint8Array ? body : new Uint8Array();
  const named = Object.entries({ ...(headers as Readonly<Record<string, unknown>>) });
  return {
    body: bytes,
    text: Buffer.from(bytes).toString(),
    headers: Object.fromEntries(named.map(([name, value]) => [name, String(value)] as const)),
  };
}

/** @throws InvalidInputError */
function readPayload({ headers, text }: HookRequest): unknown {
  if (!/\bjson\b/i.test(headers['content-type'] ?? 'application/json')) return text;
  try {
    return JSON.parse(text, mayNamePrototype.test(text) ? refusePrototype : undefined);
  } catch (error) {
    throw new InvalidInputError('body is not valid JSON', { cause: error });
  }
}

/** An escape can be part of any key. */
const mayNamePrototype = /__proto__|constructor|\\u/;

/** Refuses the keys that other bodies must not have: the sender may have signed what others wrote. */
function refusePrototype(key: string, value: unknown): unknown {
  const isOwn = typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
  if (key === '__proto__' || (key === 'constructor' && isOwn)) throw new SyntaxError(`The key ${key} is refused`);
  return value;
}
